#!/usr/bin/env node
// Plain JavaScript, because it may be started by any Node, and because the cache of compiled code has to be on
// before the first file is read. Starts the bundle where there is one of these sources.
import module from 'node:module';
import { homedir } from 'node:os';
import { isAbsolute, join } from 'node:path';
import { findBundle } from '../../shared/src/node/launch/bundle.mjs';
import { startProgram } from '../../shared/src/node/launch/own-node.mjs';

/** Undefined without a home folder: the current folder is no place for a cache. */
function findCacheFolder() {
  const { XDG_CACHE_HOME: set = '' } = process.env;
  if (isAbsolute(set)) return set;
  try {
    return isAbsolute(homedir()) ? join(homedir(), '.cache') : undefined;
  } catch {
    return undefined;
  }
}

const cacheFolder = findCacheFolder();
if (cacheFolder !== undefined) process.env.NODE_COMPILE_CACHE ||= join(cacheFolder, 'recordproof', 'compiled');
if (process.env.NODE_COMPILE_CACHE) module.enableCompileCache?.(process.env.NODE_COMPILE_CACHE);

await startProgram(findBundle('cli') ?? new URL('../src/main.ts', import.meta.url));
