// Third-party components of an executable: the packages whose files are in its bundle, and Node. They make up its bill
// of materials (CycloneDX) and its licence texts.
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

const root = fileURLToPath(new URL('../..', import.meta.url));

type Locked = { readonly version?: string; readonly integrity?: string; readonly license?: string };
const locked: Readonly<Record<string, Locked>> = JSON.parse(
  readFileSync(join(root, 'package-lock.json'), 'utf8'),
).packages;

export type Component = {
  readonly name: string;
  readonly version: string;
  readonly license: string | undefined;
  /** In npm's form: algorithm and base64. */
  readonly integrity: string | undefined;
  readonly folder: string;
};

/** `node_modules/a/node_modules/@b/c/index.js` → `node_modules/a/node_modules/@b/c`. */
const packageOf = (path: string): string | undefined =>
  /^.*(?:^|\/)node_modules\/(?:@[^/]+\/)?[^/]+(?=\/)/.exec(path)?.[0];

const toComponent = (path: string): Component => {
  const { version, integrity, license } = locked[path] ?? {};
  if (version === undefined) throw new Error(`the lockfile does not have ${path}`);
  const name = path.slice(path.lastIndexOf('node_modules/') + 'node_modules/'.length);
  return { name, version, license, integrity, folder: join(root, path) };
};

/** `inputs`: paths of the bundled files and of assets, from the repository root. */
export function listComponents(inputs: readonly string[]): Component[] {
  const paths = new Set(inputs.map(packageOf).filter(path => path !== undefined));
  return [...paths].sort().map(toComponent);
}

function toSbomEntry({ name, version, license, integrity }: Component) {
  const [algorithm = '', digest = ''] = integrity?.split('-') ?? [];
  const content = Buffer.from(digest, 'base64').toString('hex');
  return {
    type: 'library',
    name,
    version,
    purl: `pkg:npm/${name.replace('@', '%40')}@${version}`,
    ...(license && { licenses: [{ expression: license }] }),
    ...(integrity && { hashes: [{ alg: algorithm.replace('sha', 'SHA-'), content }] }),
  };
}

export type Built = { readonly program: string; readonly version: string; readonly seconds: number };

/** CycloneDX 1.6. Without a serial number, which would differ in each build. */
export function toSbom({ program, version, seconds }: Built, components: readonly Component[]): string {
  const node = {
    type: 'application',
    name: 'node',
    version: process.versions.node,
    purl: `pkg:generic/node@${process.versions.node}`,
    components: Object.entries(process.versions)
      .filter(([name]) => !['node', 'modules', 'napi'].includes(name))
      // Node does not know the version of every component.
      .map(([name, found]) => ({ type: 'library', name, ...(found !== '' && { version: found }) })),
  };
  const sbom = {
    bomFormat: 'CycloneDX',
    specVersion: '1.6',
    version: 1,
    metadata: {
      timestamp: new Date(seconds * 1000).toISOString(),
      component: { type: 'application', name: program, version, licenses: [{ license: { id: 'Apache-2.0' } }] },
    },
    components: [node, ...components.map(toSbomEntry)],
  };
  return `${JSON.stringify(sbom, null, 2)}\n`;
}

const licenseFile = /^(licen[cs]e|copying|notice)([.-].*)?$/i;

function licenseTexts(folder: string): string[] {
  const names = existsSync(folder) ? readdirSync(folder).filter(name => licenseFile.test(name)) : [];
  return names.sort().map(name => readFileSync(join(folder, name), 'utf8').trim());
}

/** The full text of every licence, under the names of its components. */
export function toLicenses(components: readonly Component[]): string {
  const sections = components.map(({ name, version, license, folder }) => {
    const texts = licenseTexts(folder);
    return [`${name} ${version}`, ...(texts.length > 0 ? texts : [`License: ${license}`])];
  });
  const nodes = join(root, 'node_modules/node/node_modules');
  const node = readdirSync(nodes).find(name => name === `node-${process.platform}-${process.arch}`) ?? '';
  const all = [[`node ${process.versions.node}`, ...licenseTexts(join(nodes, node))], ...sections];
  return `${all.map(section => section.join('\n\n')).join(`\n\n${'='.repeat(80)}\n\n`)}\n`;
}
