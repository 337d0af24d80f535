// Whatever the text holds, it becomes words in elements of ours. It never changes, so that nothing of it needs a key.
import { createElement, type ReactNode } from 'react';
import { type Block, parseMarkdown, type Span } from './markdown.ts';

const toNode = ({ kind, text }: Span): ReactNode => (kind === 'text' ? text : createElement(kind, null, text));

const toItem = (spans: readonly Span[]): ReactNode => createElement('li', null, ...spans.map(toNode));

function toElement(block: Block): ReactNode {
  switch (block.kind) {
    case 'heading':
      return createElement('h3', null, ...block.spans.map(toNode));
    case 'paragraph':
      return createElement('p', null, ...block.spans.map(toNode));
    case 'code':
      return createElement('pre', null, block.text);
    case 'list':
      return createElement(block.isNumbered ? 'ol' : 'ul', null, ...block.items.map(toItem));
  }
}

export const MarkdownView = ({ text }: { readonly text: string }) =>
  createElement('div', { className: 'prose', dir: 'auto' }, ...parseMarkdown(text).map(toElement));
