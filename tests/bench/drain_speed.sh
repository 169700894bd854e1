#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# How fast records go from rings into chunks, against a bare copy; see drain_speed.c.
exec "${abs_builddir:-.}/tests/bench/drain_speed"
