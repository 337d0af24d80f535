// Finds file handles that may be left open: Node ends the process when it has to close a forgotten FileHandle itself.
// Allowed are `await using`, a stack's `use`, a `try` that closes in the very next statement, and passing the handle on
// at once.
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { CallExpression, Node, SourceFile } from 'typescript/unstable/ast';
import {
  isBlock,
  isCallExpression,
  isIdentifier,
  isImportDeclaration,
  isSourceFile,
  isVariableDeclaration,
} from 'typescript/unstable/ast/is';
import { API } from 'typescript/unstable/sync';

export type LooseHandle = { readonly file: string; readonly line: number; readonly text: string };

const openers = new Set(['open', 'openSync']);
const fileModule = /^import\b[^;]*\b(open|openSync)\b[^;]*['"](?:node:)?fs(?:\/promises)?['"]/;
const importsOpen = new RegExp(fileModule.source, 'm');

/** Scans these source files. They are parsed, without what they import. */
export function findLooseHandles(paths: readonly string[]): LooseHandle[] {
  if (paths.length === 0) throw new Error('there is no source to look through');
  const files = paths.filter(path => importsOpen.test(readFileSync(path, 'utf8')));
  const folder = mkdtempSync(join(tmpdir(), 'recordproof-project-'));
  const tsconfig = join(folder, 'tsconfig.json');
  writeFileSync(tsconfig, JSON.stringify({ compilerOptions: { noResolve: true, noLib: true, types: [] }, files }));
  const api = new API();
  try {
    const [project] = api.updateSnapshot({ openProjects: [tsconfig] }).getProjects();
    if (!project) throw new Error(`${tsconfig} is not a project`);
    return files.flatMap(path => {
      const file = project.program.getSourceFile(path);
      if (!file) throw new Error(`${path} is not in the project`);
      return scanFile(file);
    });
  } finally {
    api.close();
    rmSync(folder, { recursive: true });
  }
}

function scanFile(file: SourceFile): LooseHandle[] {
  const opensFiles = file.statements.some(node => isImportDeclaration(node) && fileModule.test(node.getText(file)));
  if (!opensFiles) return [];
  const calls = listNodes(file).filter(node => isCallExpression(node)) as CallExpression[];
  return calls
    .filter(({ expression }) => isIdentifier(expression) && openers.has(expression.text))
    .filter(call => !isHeld(call, file))
    .map(call => ({
      file: file.fileName,
      line: file.text.slice(0, call.getStart(file)).split('\n').length,
      text: statementOf(call).getText(file).split('\n')[0] ?? '',
    }));
}

function listNodes(root: Node): Node[] {
  const nodes: Node[] = [];
  const visit = (node: Node): undefined => {
    nodes.push(node);
    node.forEachChild(visit);
  };
  visit(root);
  return nodes;
}

/** The ancestor that is a statement of a block. */
function statementOf(node: Node): Node {
  let at = node;
  while (at.parent && !isBlockLike(at.parent)) at = at.parent;
  return at;
}

const isBlockLike = (node: Node): boolean => isBlock(node) || isSourceFile(node);

function isHeld(call: CallExpression, file: SourceFile): boolean {
  const statement = statementOf(call);
  const text = statement.getText(file);
  if (/^(await using\b|return (await )?open(Sync)?\()/.test(text)) return true;
  if (/\.use\(\s*await open\(|\bcloseSync\(openSync\(/.test(text)) return true;
  const name = findName(call, file);
  return name !== undefined && isClosedNext(name, statement, file);
}

function findName(call: CallExpression, file: SourceFile): string | undefined {
  let at: Node = call;
  while (at.parent && !isVariableDeclaration(at)) at = at.parent;
  return isVariableDeclaration(at) ? at.name.getText(file) : undefined;
}

/** At most one statement that cannot throw may be between: a check whether the file exists. */
function isClosedNext(name: string, statement: Node, file: SourceFile): boolean {
  const siblings = (statement.parent as unknown as { statements: readonly Node[] }).statements;
  const rest = siblings.slice(siblings.indexOf(statement) + 1).map(node => node.getText(file));
  const [next = ''] = rest[0]?.startsWith(`if (${name} === undefined) return`) ? rest.slice(1) : rest;
  const closes = [`${name}.close()`, `closeSync(${name})`];
  return closes.some(close => next.startsWith(`await ${close}`) || (next.startsWith('try {') && next.includes(close)));
}
