# The library that draws the charts of `strata report`: D3 and Observable Plot, from the npm registry in fixed
# versions. The build fetches them once into the build folder and embeds them in the program. Without network
# everything else is built; STRATA_CHARTS_FROM names a folder with the two archives.
option(STRATA_CHARTS "Put the chart library into the pages of strata report" ON)
set(STRATA_CHARTS_FROM "" CACHE PATH "Folder that holds the archives of the chart library, instead of the npm registry")
set(strata_chart_files "")

# strata_fetch_chart(NAME ADDRESS SHA512 SCRIPT): writes NAME.js to the build folder: the licence, then the
# script.
function(strata_fetch_chart name address sha512 script)
  set(folder ${PROJECT_BINARY_DIR}/charts)
  set(result ${folder}/${name}.js)
  get_filename_component(archive_name ${address} NAME)
  set(archive ${folder}/${archive_name})
  if(NOT EXISTS ${result})
    set(status "0")
    if(STRATA_CHARTS_FROM)
      set(archive ${STRATA_CHARTS_FROM}/${archive_name})
    elseif(NOT EXISTS ${archive})
      file(DOWNLOAD https://registry.npmjs.org/${address} ${archive} STATUS status TIMEOUT 60 INACTIVITY_TIMEOUT 15)
    endif()
    list(GET status 0 failed)
    set(found "")
    if(EXISTS ${archive} AND NOT failed)
      file(SHA512 ${archive} found)
    endif()
    if(NOT found STREQUAL sha512)
      if(failed)
        list(GET status 1 why)
      elseif(NOT found)
        set(why "there is no ${archive}")
      else()
        set(why "${archive} is not the archive that Strata knows: its checksum differs")
      endif()
      if(NOT STRATA_CHARTS_FROM)
        file(REMOVE ${archive})
      endif()
      set(strata_charts_missing "${name}: ${why}" PARENT_SCOPE)
      return()
    endif()
    file(ARCHIVE_EXTRACT INPUT ${archive} DESTINATION ${folder}/${name})
    file(READ ${folder}/${name}/package/LICENSE licence)
    file(READ ${folder}/${name}/package/${script} text)
    file(WRITE ${result} "/*! ${name}\n${licence}*/\n${text}")
  endif()
  set(strata_chart_files ${strata_chart_files} ${result} PARENT_SCOPE)
endfunction()

if(STRATA_CHARTS)
  set(strata_charts_missing "")
  strata_fetch_chart(d3 d3/-/d3-7.9.0.tgz
    7b5538ea354ffb0ec8badf09b7cae2d58b0f3af169838ea4f8af13a426f43fece30a48e43e757b5b37c3273307cb52e703ec23e692d3d708cef74d602d778484
    dist/d3.min.js)
  strata_fetch_chart(plot @observablehq/plot/-/plot-0.6.17.tgz
    fea6973ffee67383144b4b3870f3c50120d18edb16a7ce7f4db7ec722a83814d47c188b16d26dbcad36e2270fc01c4d80b7c5ac400a0557d3a6a075f432f56fa
    dist/plot.umd.min.js)
  if(strata_charts_missing)
    set(strata_chart_files "")
    message(WARNING "strata report draws no charts, only machines and tables: the chart library could not be had.\n"
      "  ${strata_charts_missing}\nConfigure again with network, or give the folder of the archives: "
      "-DSTRATA_CHARTS_FROM=FOLDER")
  endif()
else()
  message(STATUS "strata report draws no charts, only machines and tables: STRATA_CHARTS is off")
endif()
