// Which tests stand beside what was changed: in its folder or, because one name runs through the whole house, in the
// folders of the feature that it belongs to.
import { spawnSync } from 'node:child_process';
import { existsSync, readdirSync } from 'node:fs';
import { dirname, join } from 'node:path';

/** What the change is about: the feature whose folder, contract or topic it lies in. */
const featureOf = path =>
  /^(?:server\/src\/features|cli\/src)\/([^/]+)\//.exec(path)?.[1] ??
  /^shared\/src\/api\/([^/]+?)(?:\.test)?\.ts$/.exec(path)?.[1];

const homesOf = feature => [`server/src/features/${feature}`, `cli/src/${feature}`];

/** Of all tests those beside one of the changed files. */
export function listTouched(changed, tests) {
  const homes = changed.flatMap(path => homesOf(featureOf(path)));
  const folders = new Set([...homes, ...changed.map(dirname).filter(folder => folder.includes('/src/'))]);
  const isBeside = test => [...folders].some(folder => test.startsWith(`${folder}/`));
  return tests.filter(test => changed.includes(test) || isBeside(test));
}

/** The tests that stand beside the code. */
export const listTestsBeside = root =>
  ['shared', 'server', 'cli', 'verifier', 'desktop']
    .map(workspace => `${workspace}/src`)
    .filter(folder => existsSync(join(root, folder)))
    .flatMap(folder => readdirSync(join(root, folder), { recursive: true }).map(name => `${folder}/${name}`))
    .filter(path => path.endsWith('.test.ts'));

const git = (root, ...args) => {
  const { status, stdout } = spawnSync('git', args, { cwd: root, encoding: 'utf8' });
  return status === 0 ? stdout.split('\n').filter(line => line !== '') : [];
};

/** Committed since the branch left main, or not committed yet. */
export function listChanged(root) {
  const [base = 'HEAD'] = git(root, 'merge-base', 'HEAD', 'main');
  return [...git(root, 'diff', '--name-only', base), ...git(root, 'ls-files', '--others', '--exclude-standard')];
}
