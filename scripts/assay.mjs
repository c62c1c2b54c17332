#!/usr/bin/env node
// The command `assay`: builds if need be, then runs dist/main.js in this very process, so that signals reach it.
import { ensureBuilt } from './build.mjs';

ensureBuilt();
process.setSourceMapsEnabled(true);
await import('../dist/main.js');
