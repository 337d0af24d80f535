// The worker of small pages: returns the three statements, in the language of the page.
import { describeStatements } from '../../report/statements.ts';
import type { ForWorker, FromStatementWorker } from './messages.ts';
import { verifyInWorker } from './verify-in-worker.ts';

async function state(request: ForWorker): Promise<FromStatementWorker> {
  const answer = await verifyInWorker(request);
  if (answer.kind !== 'report') return answer;
  const { report, existence } = answer;
  return { kind: 'statements', statements: describeStatements(report, existence?.told, request.language) };
}

globalThis.onmessage = async (event: MessageEvent<ForWorker>) =>
  globalThis.postMessage(await state(event.data).catch(() => ({ kind: 'unable', why: 'broken' }) as const));
