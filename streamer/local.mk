# SPDX-License-Identifier: Apache-2.0
# events -> ring -> buffer -> sink. One module a line, each line complete.
