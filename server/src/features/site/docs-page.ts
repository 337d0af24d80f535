// The API reference as a page: rendered on the server, readable without script, one anchor per endpoint.
import type { AnyEndpoint } from '@recordproof/shared/api/endpoint.ts';
import { type ErrorKind, errorTable } from '@recordproof/shared/api/errors.ts';
import { type Html, html } from '@recordproof/shared/theme/html.ts';
import { docsWords } from '@recordproof/shared/words/docs.ts';
import type { Language } from '@recordproof/shared/words/words.ts';
import type { JsonSchema } from '../../platform/http/json-schema.ts';
import { toOpenApiPath } from '../../platform/http/openapi.ts';
import { listCommonErrors } from '../../platform/http/openapi-errors.ts';
import type { OpenApi, Operation } from '../../platform/http/openapi-types.ts';
import { toCurl, toJsonExample } from './example.ts';
import { type Field, listFields, openResolver, type Reading } from './fields.ts';
import { type Page, toPage } from './layout.ts';

type DocsInfo = {
  readonly language: Language;
  readonly endpoints: readonly AnyEndpoint[];
  readonly document: OpenApi;
  readonly baseUrl: string;
  readonly script: string;
};

type Book = Pick<DocsInfo, 'document' | 'baseUrl'> & Reading;
type Texts = Reading['texts'];

export function renderDocsPage({ language, endpoints, document, baseUrl, script }: DocsInfo): Page {
  const texts = docsWords[language];
  const book = { document, resolve: openResolver(document.components.schemas), baseUrl, texts };
  const features = document.tags.map(tag => tag.name);
  const byFeature = (feature: string) => endpoints.filter(endpoint => endpoint.feature === feature);
  const info = {
    language,
    title: texts.pageTitle,
    version: String(document.info.version),
    script,
    bodyClass: 'docs',
    tools: renderSearch(endpoints.length, texts),
  };
  return toPage(
    info,
    html`<div class="columns">
<nav aria-label="${texts.contents}"><details id="contents" open><summary>${texts.contents}</summary><ul>
<li><a href="#calling">${texts.howToCall}</a></li>
${features.map(
  feature => html`<li><a href="#feature-${feature}">${toTitle(feature, texts)}</a> <span class="count">${byFeature(feature).length}</span></li>
`,
)}<li><a href="#errors">${texts.allErrors}</a></li>
</ul></details></nav>
<main id="content">
<h1>${texts.title}</h1>
<p id="nothing" class="said" role="status"></p>
${renderIntroduction(book)}
${features.map(
  feature => html`<section aria-labelledby="feature-${feature}" data-feature>
<h2 id="feature-${feature}">${toTitle(feature, texts)}</h2>
${byFeature(feature).map(endpoint => renderEndpoint(endpoint, book))}
</section>
`,
)}
<section aria-labelledby="errors" data-aside><h2 id="errors">${texts.allErrors}</h2>
${renderErrors(Object.keys(errorTable) as ErrorKind[], texts.everyError, texts)}
</section>
</main>
</div>`,
  );
}

function toTitle(feature: string, texts: Texts): string {
  const titles: Readonly<Record<string, string>> = texts.features;
  return titles[feature] ?? feature.charAt(0).toUpperCase() + feature.slice(1).replaceAll('-', ' ');
}

const renderSearch = (count: number, texts: Texts): Html => html`<div class="search" role="search">
<label for="filter">${texts.filter}</label>
<input id="filter" type="search" placeholder="${texts.placeholder}" autocomplete="off" spellcheck="false" disabled>
<output for="filter" id="found" aria-live="polite">${texts.found(count)}</output>
</div>`;

const renderIntroduction = ({ baseUrl, texts }: Book): Html => html`<section aria-labelledby="calling" data-aside>
<h2 id="calling">${texts.howToCall}</h2>
<p>${texts.requestsGoTo} <code>${baseUrl}</code>. ${texts.envelope}</p>
<p>${texts.logIn} <a href="#login"><code>POST /api/v1/auth/login</code></a> ${texts.sendToken} <code>Authorization: Bearer &lt;token&gt;</code></p>
<p>${texts.rateLimits}</p>
${
  texts.note !== '' &&
  html`<p>${texts.note}</p>
`
}<p>${texts.forPrograms} <a href="/openapi.json">${texts.openApi}</a></p>
</section>`;

function renderEndpoint(endpoint: AnyEndpoint, book: Book): Html {
  const { texts, resolve } = book;
  const path = toOpenApiPath(endpoint.path);
  const method = endpoint.method.toLowerCase();
  const operation = book.document.paths[path]?.[method];
  if (!operation) throw new Error(`${endpoint.name} is not in the document`);
  const words = [path, endpoint.aliases, endpoint.name, endpoint.summary, endpoint.feature].flat().join(' ');
  return html`<details class="endpoint" data-words="${words.toLowerCase()}">
<summary><span class="method ${method}">${endpoint.method}</span> <code>${breakable(path)}</code> <span class="about" lang="en">${endpoint.summary}</span></summary>
<div class="body" id="${endpoint.name}">
<h3><span lang="en">${endpoint.summary}</span> <a class="anchor" href="#${endpoint.name}" aria-label="${texts.linkTo(endpoint.name)}">#</a></h3>
${endpoint.description !== undefined && html`<p lang="en">${endpoint.description}</p>`}
<p class="facts"><span>${toAccessText(endpoint, texts)}</span> <span>${texts.countsAs(endpoint.rate)}</span> <span>${texts.name} <code>${endpoint.name}</code></span>${endpoint.aliases.map(alias => html` <span>${texts.also} <code>${alias}</code></span>`)}</p>
${renderParameters(operation, book)}
${renderBody(operation, book)}
${renderAnswer(endpoint, operation, book)}
<h4>${texts.example}</h4>
<pre><code>${toCurl({ method, path, baseUrl: book.baseUrl }, operation, resolve)}</code></pre>
${isForPeople(endpoint) && renderTryOut(endpoint, operation, resolve)}
<h4>${texts.errors}</h4>
${endpoint.errors.length > 0 && renderErrors(endpoint.errors, texts.errorsOf(endpoint.name), texts)}
<p class="common">${endpoint.errors.length > 0 ? texts.elsewhere : ''}${renderCommonErrors(endpoint, texts)}</p>
</div>
</details>
`;
}

/** Excludes files and streams, which are for programs. */
const isForPeople = ({ answerForm, bodyForms }: AnyEndpoint): boolean =>
  answerForm !== 'events' && bodyForms.every(form => form === 'json' || form === 'form');

/** The script of the page turns it into a form. */
function renderTryOut(endpoint: AnyEndpoint, operation: Operation, resolve: Reading['resolve']): Html {
  const query = (operation.parameters ?? []).filter(({ in: where }) => where === 'query').map(({ name }) => name);
  const example = toJsonExample(operation, resolve);
  return html`<div id="try-${endpoint.name}" data-method="${endpoint.method}" data-path="${toOpenApiPath(endpoint.path)}" data-query="${query.join(' ')}"${example !== null && html` data-example="${example}"`}></div>`;
}

/** Long paths may break after each slash. */
const breakable = (path: string): Html =>
  html`${path.split('/').map((part, index) => (index === 0 ? part : html`/<wbr>${part}`))}`;

function toAccessText({ access }: AnyEndpoint, texts: Texts): string {
  switch (access) {
    case 'anonymous':
      return texts.forAnyone;
    case 'optional':
      return texts.forAnyoneMore;
    case 'signed-in':
      return texts.forAccounts;
    case 'management':
      return texts.forOperators;
    default:
      return texts.needs(access);
  }
}

function renderParameters({ parameters = [] }: Operation, reading: Reading): Html | false {
  const { texts } = reading;
  if (parameters.length === 0) return false;
  const fields = parameters.map(({ name, in: where, required, description = '', schema }): Field => {
    const [field] = listFields(schema, reading);
    const rules = [texts.parameterIn[where], ...(field?.rules ?? [])];
    return { path: name, depth: 1, type: field?.type ?? 'string', required, rules, description };
  });
  return html`<h4>${texts.parameters}</h4>${renderFields(fields, texts.parameters, texts)}`;
}

function renderBody({ requestBody }: Operation, reading: Reading): Html | false {
  const { texts } = reading;
  if (!requestBody) return false;
  const forms = Object.keys(requestBody.content);
  const [content] = Object.values(requestBody.content);
  const how = html`<h4>${texts.body}</h4><p>${forms.map((form, index) => html`${index > 0 && texts.or}<code>${form}</code>`)}${!requestBody.required && texts.mayBeLeftOut}</p>`;
  if (!content || forms.includes('application/octet-stream')) return how;
  return html`${how}${renderFields(listFields(content.schema, reading), texts.fieldsOfBody, texts)}`;
}

function renderAnswer(endpoint: AnyEndpoint, { responses }: Operation, reading: Reading): Html {
  const { texts } = reading;
  const success = responses['200'];
  const content = success && 'content' in success ? success.content : {};
  const [[type = '', answer] = []] = Object.entries(content ?? {});
  const isEnvelope = endpoint.answerForm === 'envelope';
  const schema = isEnvelope
    ? ((answer?.schema.properties as Record<string, JsonSchema> | undefined)?.data ?? {})
    : (answer?.schema ?? {});
  if (schema.type === 'null') return html`<h4>${texts.answer}</h4><p>${texts.dataIsNull}</p>`;
  const isJson = type === 'application/json';
  const where = isEnvelope ? texts.inData : texts.bare(type);
  return html`<h4>${texts.answer}</h4><p>${where}</p>${isJson && renderFields(listFields(schema, reading), texts.fieldsOfAnswer, texts)}`;
}

const renderFields = (fields: readonly Field[], label: string, texts: Texts): Html => html`<table aria-label="${label}">
<thead><tr><th scope="col">${texts.field}</th><th scope="col">${texts.type}</th><th scope="col">${texts.about}</th></tr></thead>
<tbody>${fields.map(field => renderField(field, texts))}</tbody></table>`;

const renderField = (
  field: Field,
  texts: Texts,
): Html => html`<tr><th scope="row"><code>${field.path || texts.value}</code>${!field.required && html` <span class="optional">${texts.optional}</span>`}</th><td>${field.type}</td><td>${field.description}${field.rules.map((rule, index) => html`${(index > 0 || field.description !== '') && texts.between}${rule}`)}</td></tr>
`;

const renderErrors = (
  kinds: readonly ErrorKind[],
  label: string,
  texts: Texts,
): Html => html`<table aria-label="${label}">
<thead><tr><th scope="col">${texts.status}</th><th scope="col">${texts.code}</th><th scope="col">${texts.errorName}</th><th scope="col">${texts.meaning}</th></tr></thead>
<tbody>${kinds.map(kind => {
  const { status, code, message } = errorTable[kind];
  return html`<tr><td>${status}</td><td>${code}</td><th scope="row"><code>${kind}</code></th><td>${message}</td></tr>
`;
})}</tbody></table>`;

const renderCommonErrors = (endpoint: AnyEndpoint, texts: Texts): Html =>
  html`${listCommonErrors(endpoint)
    .filter(kind => !endpoint.errors.includes(kind))
    .map(
      (kind, index) => html`${index > 0 && ', '}<code>${errorTable[kind].code}</code> ${errorTable[kind].message}`,
    )}. <a href="#errors">${texts.allErrors}</a>`;
