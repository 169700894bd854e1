# SPDX-License-Identifier: Apache-2.0
reader_sources += reader/stacks/aggregate.c reader/stacks/aggregate.h
reader_sources += reader/stacks/aggregate_join.c reader/stacks/aggregate_join.h
reader_sources += reader/stacks/capture_facts.c reader/stacks/capture_facts.h
reader_sources += reader/stacks/frame.c reader/stacks/frame.h
reader_sources += reader/stacks/raw_key.h
reader_sources += reader/stacks/sample_batch.c reader/stacks/sample_batch.h
reader_sources += reader/stacks/sample_log.c reader/stacks/sample_log.h
reader_sources += reader/stacks/sample_tag.c reader/stacks/sample_tag.h
reader_sources += reader/stacks/stack.c reader/stacks/stack.h
reader_sources += reader/stacks/stack_counter.c reader/stacks/stack_counter.h
reader_sources += reader/stacks/tally.c reader/stacks/tally.h
reader_sources += reader/stacks/waiting_samples.c reader/stacks/waiting_samples.h
EXTRA_DIST += reader/stacks/README.md
