# SPDX-License-Identifier: Apache-2.0
# map -> chunks -> ordered | aggregate -> print. One module a line, each line complete.
reader_sources += reader/symbol.h
