#!/usr/bin/env node
import module from 'node:module';
import { fileURLToPath } from 'node:url';
import { startProgram } from '../../scripts/run-on-own-node.mjs';

// Stripping types is most of a small verification. The cache lies in this checkout, not in the shared temp folder,
// where somebody else could have put something before us.
module.enableCompileCache?.(fileURLToPath(new URL('../../node_modules/.cache/recordproof', import.meta.url)));

await startProgram(new URL('../src/main.ts', import.meta.url));
