// Completeness of the report texts: explanations, next steps and Chinese texts of every check.
import { expect, test } from 'vitest';
import { checkCodes, checkIds, commonCodes } from '../verify/check-codes.ts';
import { type CheckResult, type Outcome, reportSchema, type VerificationReport } from '../verify/report.ts';
import { checkTexts } from './check-texts.ts';
import { describeFinding } from './finding-texts.ts';
import { listNextSteps } from './next-steps.ts';

const reportWith = (outcome: Outcome, results: Partial<CheckResult>[]): VerificationReport => ({
  schemaVersion: reportSchema,
  outcome,
  verifiedAt: '2026-01-31T12:00:00.000Z',
  verifierVersion: '0.0.0',
  summary: { keySource: 'NONE' },
  checks: results.map(result => ({
    id: 'content.original',
    category: 'CONTENT',
    status: 'PASS',
    code: 'OK',
    message: '',
    evidence: {},
    ...result,
  })),
});

test('every check has an explanation, and there are no others', () => {
  expect(Object.keys(checkTexts.en)).toEqual(checkIds);
});

test('the next steps refer to the deciding checks, each once', () => {
  const offline = { status: 'INDETERMINATE', code: 'OFFLINE' } as const;
  const otherFile = { status: 'FAIL', code: 'CONTENT_HASH_MISMATCH' } as const;
  expect(listNextSteps(reportWith('VALID', [{}]))).toEqual([]);
  expect(listNextSteps(reportWith('INDETERMINATE', [offline, offline]))).toEqual([expect.stringContaining('--online')]);
  expect(listNextSteps(reportWith('INVALID', [otherFile, offline]))).toEqual([expect.stringContaining('right file')]);
  const broken = { id: 'archive.structure', status: 'ERROR', code: 'ARCHIVE_TRUNCATED' } as const;
  expect(listNextSteps(reportWith('ERROR', [broken, otherFile]))).toEqual([expect.stringContaining('archive again')]);
});

test('every finding of a check has a Chinese text', () => {
  const codes = [commonCodes, ...Object.values(checkCodes)].flatMap(table =>
    Object.keys(table),
  ) as CheckResult['code'][];
  for (const code of codes) {
    const [check] = reportWith('ERROR', [{ code }]).checks;
    expect(check && describeFinding(check, 'zh'), code).toMatch(/^[\p{Script=Han}\w\s\-：；，、。]+。$/u);
  }
  const [passed] = reportWith('VALID', [{ message: 'It is.' }]).checks;
  expect(passed && [describeFinding(passed, 'zh'), describeFinding(passed, 'en')]).toEqual([undefined, 'It is.']);
});
