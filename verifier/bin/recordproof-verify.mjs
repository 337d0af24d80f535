#!/usr/bin/env node
// Plain JavaScript, because any Node may start it, and because the cache of compiled code has to be on before the first
// file is read: stripping types is most of a small verification. Starts the bundle where there is one of these sources.
import module from 'node:module';
import { fileURLToPath } from 'node:url';
import { compileCache, findBundle } from '../../shared/src/node/launch/bundle.mjs';

if (Number.parseInt(process.versions.node, 10) >= 26) {
  module.enableCompileCache(compileCache);
  await import(findBundle('verify') ?? new URL('../src/main.ts', import.meta.url));
} else {
  const { runOnOwnNode } = await import('../../shared/src/node/launch/own-node.mjs');
  runOnOwnNode(fileURLToPath(import.meta.url), process.argv.slice(2));
}
