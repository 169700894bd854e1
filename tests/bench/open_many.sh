#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# How long it takes to open events for 512 CPUs; see open_many.c.
exec "${abs_builddir:-.}/tests/bench/open_many"
