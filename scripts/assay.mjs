#!/usr/bin/env node
// The command `assay`: builds if necessary, then runs dist/main.js in the same process, so that it receives signals.
import { ensureBuilt } from './build.mjs';

ensureBuilt();
process.setSourceMapsEnabled(true);
await import('../dist/main.js');
