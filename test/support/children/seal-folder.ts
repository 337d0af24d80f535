// Seals a folder as `prove --as-one` does before it connects to a server: FOLDER LIST.
import { sealFolder } from '../../../cli/src/proofs/seal-folder.ts';

const [folder = '', list = ''] = process.argv.slice(2);
await sealFolder(folder, list, { mayReplace: false, tell: console.error });
