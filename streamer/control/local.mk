# SPDX-License-Identifier: Apache-2.0
streamer_sources += streamer/control/cmd_ctl.c streamer/control/cmd_ctl.h
streamer_sources += streamer/control/control_serve.c streamer/control/control_serve.h
streamer_sources += streamer/control/control_socket.c streamer/control/control_socket.h
streamer_sources += streamer/control/control_verb.c streamer/control/control_verb.h
streamer_sources += streamer/control/cut_request.c streamer/control/cut_request.h
EXTRA_DIST += streamer/control/README.md
