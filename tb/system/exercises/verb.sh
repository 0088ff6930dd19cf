# shellcheck shell=bash disable=SC2154
# A new verb: in the list, with a page of help and faults of its own, and doing what it says.
expect 0 'storage      list the bits that modules store' --help
expect 0 'usage: strata storage MODULE...' storage --help
expect 1 'missing' storage
expect 1 "did you mean 'l1_private'?" storage l1_privat
expect 0 'tag' storage l1_private
