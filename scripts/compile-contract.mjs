// Compiles the contract of the EVM back end with fixed settings. With --write the result goes beside its source; a test
// compares the two, so that what is deployed can be rebuilt by anybody.
import { createHash } from 'node:crypto';
import { readFileSync, writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import solc from 'solc';

const folder = new URL('../server/src/features/chain/evm/', import.meta.url);
const name = 'RecordProofAnchor';
export const artifactFile = fileURLToPath(new URL(`${name}.json`, folder));

const settings = {
  evmVersion: 'paris',
  optimizer: { enabled: true, runs: 1000 },
  metadata: { bytecodeHash: 'none', appendCBOR: false },
};

export function compileContract() {
  const content = readFileSync(new URL(`${name}.sol`, folder), 'utf8');
  const output = JSON.parse(
    solc.compile(
      JSON.stringify({
        language: 'Solidity',
        sources: { [`${name}.sol`]: { content } },
        settings: { ...settings, outputSelection: { '*': { '*': ['abi', 'evm.bytecode.object'] } } },
      }),
    ),
  );
  if (output.errors?.length > 0) throw new Error(output.errors.map(error => error.formattedMessage).join('\n'));
  const { abi, evm } = output.contracts[`${name}.sol`][name];
  const bytecode = `0x${evm.bytecode.object}`;
  const bytecodeSha256 = createHash('sha256').update(Buffer.from(evm.bytecode.object, 'hex')).digest('hex');
  return { compiler: solc.version(), settings, abi, bytecode, bytecodeSha256 };
}

if (process.argv.includes('--write')) writeFileSync(artifactFile, `${JSON.stringify(compileContract(), null, 2)}\n`);
