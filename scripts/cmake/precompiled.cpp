// The one unit of each gonogo_precompiled_* target, which exist for their headers.
