// Finds, by types and not by names, uses of the database itself inside the callback of a transaction: such a query
// waits for the very transaction that waits for it, or silently runs outside of it.
import { readFileSync } from 'node:fs';
import type { CallExpression, Expression, Node, SourceFile } from 'typescript/unstable/ast';
import {
  isArrowFunction,
  isCallExpression,
  isFunctionExpression,
  isIdentifier,
  isPropertyAccessExpression,
  isTypeNode,
} from 'typescript/unstable/ast/is';
import { API, type Checker, type Type } from 'typescript/unstable/sync';

export type Finding = { readonly file: string; readonly line: number; readonly text: string; readonly why: string };

/** Scans every source file of the project whose path passes the filter. */
export function findRootUseInTransactions(tsconfig: string, wanted: (path: string) => boolean): Finding[] {
  const api = new API();
  try {
    const snapshot = api.updateSnapshot({ openProjects: [tsconfig] });
    const [project] = snapshot.getProjects();
    if (!project) throw new Error(`${tsconfig} is not a project`);
    const paths = project.program.getSourceFileNames().filter(wanted);
    if (paths.length === 0) throw new Error('there is no source to look through');
    // A file is read sooner than parsed.
    const beginning = paths.filter(path => readFileSync(path, 'utf8').includes('.transaction()'));
    return beginning.flatMap(path => {
      const file = project.program.getSourceFile(path);
      return file ? scanFile(file, project.checker) : [];
    });
  } finally {
    api.close();
  }
}

function scanFile(file: SourceFile, checker: Checker): Finding[] {
  const findings: Finding[] = [];
  const report = (node: Node, why: string) => {
    const start = node.getStart(file);
    const line = file.text.slice(0, start).split('\n').length;
    findings.push({ file: file.fileName, line, text: node.getText(file), why });
  };
  for (const call of listNodes(file).filter(isTransaction)) {
    const [callback] = call.arguments;
    if (!callback || !(isArrowFunction(callback) || isFunctionExpression(callback))) {
      report(callback ?? call, 'the callback of a transaction is written where it is used');
      continue;
    }
    // One question for all: each is a message to the process of the compiler.
    const nodes = listNodes(callback.body).filter(node => isName(node) || isArgument(node));
    const types = checker.getTypeAtLocation(nodes);
    for (const [at, node] of nodes.entries()) {
      const type = types[at];
      if (isName(node) && isRoot(type)) report(node, 'is the database, not the transaction');
      else if (isArgument(node) && carriesRoot(checker, node, type)) report(node, 'takes the database along');
    }
  }
  return findings;
}

/** `….transaction().execute(…)`, with any calls between. */
function isTransaction(node: Node): node is CallExpression {
  if (!isCallExpression(node)) return false;
  if (!isPropertyAccessExpression(node.expression) || node.expression.name.text !== 'execute') return false;
  let inner: Expression = node.expression.expression;
  while (isCallExpression(inner) && isPropertyAccessExpression(inner.expression)) {
    if (inner.expression.name.text === 'transaction') return true;
    inner = inner.expression.expression;
  }
  return false;
}

/** Expressions only: types may name the database. */
function listNodes(root: Node): Node[] {
  const nodes: Node[] = [];
  const visit = (node: Node): undefined => {
    if (isTypeNode(node)) return;
    nodes.push(node);
    node.forEachChild(visit);
  };
  visit(root);
  return nodes;
}

const isName = (node: Node): boolean => isIdentifier(node) || isPropertyAccessExpression(node);

const isRoot = (type: Type | undefined): boolean => type?.getSymbol()?.name === 'Kysely';

const isArgument = (node: Node): boolean => {
  const { parent } = node;
  return parent !== undefined && isCallExpression(parent) && parent.arguments.some(argument => argument === node);
};

function carriesRoot(checker: Checker, node: Node, type: Type | undefined): boolean {
  if (!type?.isObjectType()) return false;
  return checker.getPropertiesOfType(type).some(property => isRoot(checker.getTypeOfSymbolAtLocation(property, node)));
}
