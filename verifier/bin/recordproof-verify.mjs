#!/usr/bin/env node
import { startProgram } from '../../scripts/run-on-own-node.mjs';

await startProgram(new URL('../src/cli.ts', import.meta.url));
