// `npm start` and `npm run dev`: the server with the profile for one person's machine, unless one is chosen.
import { fileURLToPath } from 'node:url';
import { runOnOwnNode } from './run-on-own-node.mjs';

const args = process.argv.slice(2);
const watch = args[0] === '--watch';
process.env.RECORDPROOF_PROFILE ??= 'laptop';
const main = fileURLToPath(new URL('../server/src/main.ts', import.meta.url));
runOnOwnNode(main, watch ? args.slice(1) : args, watch ? ['--watch', '--watch-preserve-output'] : []);
