// Files beside each packaged program: licences, bill of materials, man page, completion, and for the server the files
// for systemd, Prometheus and Grafana. Archive and Debian package hold the same files at different paths.
import { spawnSync } from 'node:child_process';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { type Shell, shells } from '@recordproof/shared/completion/shells.ts';
import { readReference } from '../command-reference.ts';
import { type Built, listComponents, toLicenses, toSbom } from './components.ts';
import { toCommandLineManual, toHelpManual } from './manual.ts';
import type { Program } from './programs.ts';
import type { Entry } from './tar.ts';

const root = fileURLToPath(new URL('../..', import.meta.url));

/** A file of the archive, and its installed path on Debian. */
export type ReleaseFile = Entry & { readonly installed: string };

const file = (path: string, installed: string, content: string | Buffer): ReleaseFile => ({
  path,
  installed,
  content: Buffer.from(content),
});

const completionPlaces: Readonly<Record<Shell, (name: string) => readonly [path: string, installed: string]>> = {
  bash: name => [`${name}.bash`, `bash-completion/completions/${name}`],
  zsh: name => [`_${name}`, `zsh/vendor-completions/_${name}`],
  fish: name => [`${name}.fish`, `fish/vendor_completions.d/${name}.fish`],
};

/** Runs `executable` to get them. */
const listCompletions = (name: string, executable: string): ReleaseFile[] =>
  shells.map(shell => {
    const { status, stdout, stderr } = spawnSync(executable, ['completion', shell], { encoding: 'utf8' });
    if (status !== 0) throw new Error(`${name} completion ${shell} failed: ${stderr}`);
    const [path, installed] = completionPlaces[shell](name);
    return file(`completion/${path}`, `usr/share/${installed}`, stdout);
  });

function listServiceFiles(): ReleaseFile[] {
  const read = (name: string) => readFileSync(join(root, 'deploy/systemd', name));
  const units = ['recordproof-server.service', 'recordproof-backup.service', 'recordproof-backup.timer'];
  return [
    ...units.map(unit => file(`systemd/${unit}`, `usr/lib/systemd/system/${unit}`, read(unit))),
    file('systemd/recordproof.sysusers', 'usr/lib/sysusers.d/recordproof.conf', read('recordproof.sysusers')),
    file('systemd/recordproof.yaml', 'etc/recordproof/recordproof.yaml', read('recordproof.yaml')),
  ];
}

/** Rules, dashboards and examples for monitoring. */
const listMonitoringFiles = (name: string): ReleaseFile[] =>
  ['prometheus', 'grafana'].flatMap(part =>
    readdirSync(join(root, 'deploy', part)).map(found => {
      const path = `deploy/${part}/${found}`;
      return file(path, `usr/share/${name}/${path}`, readFileSync(join(root, path)));
    }),
  );

/** Documents that the programs' messages refer to, the specifications, and the decisions. */
const listGuides = (documents: string): ReleaseFile[] =>
  ['guide', 'spec', 'decisions'].flatMap(part =>
    readdirSync(join(root, 'docs', part))
      .filter(name => name.endsWith('.md'))
      .map(name =>
        file(`docs/${part}/${name}`, `${documents}/${part}/${name}`, readFileSync(join(root, 'docs', part, name))),
      ),
  );

const summaries = {
  cli: 'store files with evidence of what they were and when',
  server: 'keep files and prove what they were and when',
  verify: 'check files against their signed proofs',
};
export const summaryOf = ({ word }: Program): string => summaries[word];

async function manualOf(program: Program, executable: string, built: Built): Promise<string> {
  if (program.word === 'cli') return toCommandLineManual(await readReference(), built);
  return toHelpManual(executable, { ...built, name: program.name, summary: summaryOf(program) });
}

/** Files that do not depend on the build. */
export const listStaticFiles = ({ name, word }: Pick<Program, 'name' | 'word'>): ReleaseFile[] => [
  file('LICENSE', `usr/share/doc/${name}/copyright`, readFileSync(join(root, 'LICENSE'))),
  ...listGuides(`usr/share/doc/${name}`),
  ...(word === 'server' ? [...listServiceFiles(), ...listMonitoringFiles(name)] : []),
];

/** `inputs`: the bundled files. */
export async function listReleaseFiles(
  program: Program,
  executable: string,
  inputs: readonly string[],
  built: Built,
): Promise<ReleaseFile[]> {
  const { name } = program;
  const components = listComponents(inputs);
  const documents = `usr/share/doc/${name}`;
  return [
    { ...file(name, `usr/bin/${name}`, readFileSync(executable)), isProgram: true },
    file('THIRD-PARTY-LICENSES.txt', `${documents}/THIRD-PARTY-LICENSES.txt`, toLicenses(components)),
    file('sbom.cdx.json', `${documents}/sbom.cdx.json`, toSbom(built, components)),
    file(`man/${name}.1`, `usr/share/man/man1/${name}.1`, await manualOf(program, executable, built)),
    ...listCompletions(name, executable),
    ...listStaticFiles(program),
  ];
}
