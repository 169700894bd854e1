# SPDX-License-Identifier: Apache-2.0
reader_sources += reader/trust/explain_no_match.c reader/trust/explain_no_match.h
reader_sources += reader/trust/loss.c reader/trust/loss.h
reader_sources += reader/trust/loss_grid.c reader/trust/loss_grid.h
reader_sources += reader/trust/loss_records.c reader/trust/loss_records.h
reader_sources += reader/trust/loss_rings.c reader/trust/loss_rings.h
reader_sources += reader/trust/overview.c reader/trust/overview.h
reader_sources += reader/trust/print_account.c reader/trust/print_account.h
reader_sources += reader/trust/print_damage.c reader/trust/print_damage.h
reader_sources += reader/trust/print_gaps.c reader/trust/print_gaps.h
reader_sources += reader/trust/print_loss.c reader/trust/print_loss.h
reader_sources += reader/trust/print_loss_json.c
reader_sources += reader/trust/print_loss_map.c
reader_sources += reader/trust/print_no_samples.c reader/trust/print_no_samples.h
reader_sources += reader/trust/print_overview.c reader/trust/print_overview.h
reader_sources += reader/trust/print_reads.c reader/trust/print_reads.h
reader_sources += reader/trust/print_symbols.c reader/trust/print_symbols.h
EXTRA_DIST += reader/trust/README.md
