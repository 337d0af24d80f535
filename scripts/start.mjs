// `npm start` and `npm run dev`: the server with the profile for one person's machine, unless one is chosen.
import { fileURLToPath } from 'node:url';
import { memoryFlags } from '../shared/src/node/launch/memory-flags.mjs';
import { runOnOwnNode } from '../shared/src/node/launch/own-node.mjs';

const args = process.argv.slice(2);
const watch = args[0] === '--watch';
process.env.RECORDPROOF_PROFILE ??= 'laptop';
const pathOf = name => fileURLToPath(new URL(`../server/${name}`, import.meta.url));
if (watch) runOnOwnNode(pathOf('src/main.ts'), args.slice(1), [...memoryFlags, '--watch', '--watch-preserve-output']);
else runOnOwnNode(pathOf('bin/recordproof-server.mjs'), args, memoryFlags);
