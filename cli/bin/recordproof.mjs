#!/usr/bin/env node
// Plain JavaScript, because it may be started by any Node, and because the cache of compiled code has to be on
// before the first TypeScript file is read: loading the type stripper costs as much as starting Node.
import module from 'node:module';
import { homedir } from 'node:os';
import { isAbsolute, join } from 'node:path';
import { startProgram } from '../../scripts/run-on-own-node.mjs';

const { XDG_CACHE_HOME: set = '' } = process.env;
process.env.NODE_COMPILE_CACHE ??= join(isAbsolute(set) ? set : join(homedir(), '.cache'), 'recordproof', 'compiled');
module.enableCompileCache?.(process.env.NODE_COMPILE_CACHE);

await startProgram(new URL('../src/main.ts', import.meta.url));
