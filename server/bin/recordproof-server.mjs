#!/usr/bin/env node
import { startProgram } from '../../scripts/run-on-own-node.mjs';

await startProgram(new URL('../src/main.ts', import.meta.url));
