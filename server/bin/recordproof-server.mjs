#!/usr/bin/env node
// Plain JavaScript, because any Node may start it, and because the cache of compiled code has to be on before the first
// file is read. Starts the bundle where there is one of these sources, else the sources themselves.
import module from 'node:module';
import { fileURLToPath } from 'node:url';
import { setFlagsFromString } from 'node:v8';
import { compileCache, findBundle } from '../../shared/src/node/launch/bundle.mjs';
import { memoryFlags } from '../../shared/src/node/launch/memory-flags.mjs';

if (Number.parseInt(process.versions.node, 10) >= 26) {
  for (const flag of memoryFlags) setFlagsFromString(flag);
  module.enableCompileCache(process.env.NODE_COMPILE_CACHE ?? compileCache);
  const { run } = await import(findBundle('run') ?? new URL('../src/commands/run.ts', import.meta.url));
  process.exitCode = await run(process.argv.slice(2));
} else {
  const { runOnOwnNode } = await import('../../shared/src/node/launch/own-node.mjs');
  runOnOwnNode(fileURLToPath(import.meta.url), process.argv.slice(2));
}
