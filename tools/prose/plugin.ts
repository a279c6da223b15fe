// ESLint rules that keep the project's prose plain. eslint.prose.js says which files they check.
import type { MarkdownRuleDefinition } from '@eslint/markdown';
import type { Rule } from 'eslint';
import { phrases, type Text } from './phrases.ts';

const columns = 100;
const phraseMessage = 'Write plain English: {{ instead }}, not "{{ found }}".';
const wrapMessage = `Wrap prose at ${columns} columns.`;
const directive = /^\s*(?:eslint-|prettier-ignore|@ts-|c8 )/;

type Comment = ReturnType<Rule.RuleContext['sourceCode']['getAllComments']>[number];
type Location = NonNullable<Comment['loc']>;

interface Block {
  readonly text: string;
  readonly loc: Location;
}

/** Checks comments and strings of TypeScript for the phrases. */
const plainEnglish: Rule.RuleModule = {
  meta: { type: 'suggestion', schema: [], messages: { phrase: phraseMessage } },
  create(context) {
    const checkString = (node: Rule.Node, text: unknown): void => {
      if (typeof text !== 'string') return;
      for (const data of findPhrases(text, 'string')) {
        context.report({ node, messageId: 'phrase', data });
      }
    };
    return {
      Program() {
        for (const { text, loc } of joinLineComments(context.sourceCode.getAllComments())) {
          for (const data of findPhrases(text, 'comment')) context.report({ loc, messageId: 'phrase', data });
        }
      },
      Literal: (node) => checkString(node, node.value),
      TemplateElement: (node) => checkString(node, node.value.cooked),
    };
  },
};

/** Checks the text of Markdown for the phrases. */
const plainMarkdown: MarkdownRuleDefinition = {
  meta: { type: 'suggestion', schema: [], messages: { phrase: phraseMessage } },
  create(context) {
    const check = (node: Parameters<typeof context.sourceCode.getText>[0] & object): void => {
      const text = context.sourceCode
        .getText(node)
        .replaceAll(/`[^`]*`/g, 'CODE')
        .replaceAll(/\s+/g, ' ');
      for (const data of findPhrases(text, 'markdown')) context.report({ node, messageId: 'phrase', data });
    };
    return { paragraph: check, heading: check, tableCell: check };
  },
};

/** Checks that Markdown paragraphs are wrapped, without tables, code and the targets of links. */
const wrapMarkdown: MarkdownRuleDefinition = {
  meta: { type: 'layout', schema: [], messages: { wrap: wrapMessage } },
  create(context) {
    return {
      paragraph(node) {
        const first = node.position?.start.line ?? 1;
        context.sourceCode
          .getText(node)
          .split('\n')
          .forEach((line, i) => {
            const length = line.replaceAll(/\]\([^)]*\)|https?:\/\/\S+/g, '').length;
            if (length <= columns) return;
            const at = { line: first + i, column: 1 };
            context.report({ loc: { start: at, end: at }, messageId: 'wrap' });
          });
      },
    };
  },
};

export default {
  rules: { 'plain-english': plainEnglish, 'plain-markdown': plainMarkdown, 'wrap-markdown': wrapMarkdown },
};

/** Returns the rejected phrases of a text, each once. */
function findPhrases(text: string, kind: Text) {
  return phrases.flatMap(({ pattern, instead, only }) => {
    if (only && !only.includes(kind)) return [];
    const match = pattern.exec(text);
    return match ? [{ found: match[0], instead }] : [];
  });
}

/** Returns comments as blocks. Adjacent line comments form one, so that phrases may span lines. */
function joinLineComments(comments: readonly Comment[]): Block[] {
  const blocks: Block[] = [];
  let previous: Comment | undefined;
  for (const comment of comments) {
    if (!comment.loc || directive.test(comment.value)) continue;
    const text = comment.value.replaceAll(/^\s*\*+\s?|\s+/gm, ' ').trim();
    const last = blocks.at(-1);
    if (last && previous && isContinued(previous, comment)) {
      blocks[blocks.length - 1] = {
        text: `${last.text} ${text}`,
        loc: { start: last.loc.start, end: comment.loc.end },
      };
    } else {
      blocks.push({ text, loc: comment.loc });
    }
    previous = comment;
  }
  return blocks;
}

function isContinued(previous: Comment, { type, loc }: Comment): boolean {
  return (
    type === 'Line' &&
    previous.type === 'Line' &&
    previous.loc?.end.line === (loc?.start.line ?? 0) - 1 &&
    previous.loc.start.column === loc?.start.column
  );
}
