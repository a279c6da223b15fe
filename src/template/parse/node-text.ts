import { quote } from '../../go/strconv.ts';
import type { AnyNode, BranchNode, CommandNode, Node, PipeNode } from './node.ts';

/** Formats a node for error messages: its source in Go's own layout. */
export function nodeText(node: AnyNode): string {
  switch (node.kind) {
    case 'text':
      return node.text;
    case 'action':
      return `{{${pipeText(node.pipe)}}}`;
    case 'if':
    case 'with':
    case 'range':
      return branchText(node);
    case 'template':
      return `{{template ${quote(node.name)}${node.pipe === undefined ? '' : ` ${pipeText(node.pipe)}`}}}`;
    case 'break':
    case 'continue':
      return `{{${node.kind}}}`;
    case 'pipe':
      return pipeText(node);
    case 'command':
      return commandText(node);
    default:
      return operandText(node);
  }
}

function operandText(node: Exclude<AnyNode, Node | PipeNode | CommandNode>): string {
  switch (node.kind) {
    case 'identifier':
      return node.name;
    case 'field':
      return node.names.map((name) => `.${name}`).join('');
    case 'variable':
      return [node.name, ...node.names].join('.');
    case 'chain':
      return [node.node.kind === 'pipe' ? `(${pipeText(node.node)})` : nodeText(node.node), ...node.names].join('.');
    case 'dot':
      return '.';
    case 'nil':
      return 'nil';
    case 'bool':
      return String(node.value);
    case 'number':
      return node.text;
    case 'string':
      return node.literal;
  }
}

function listText(list: readonly Node[]): string {
  return list.map(nodeText).join('');
}

function branchText(node: BranchNode): string {
  const otherwise = node.elseList === undefined ? '' : `{{else}}${listText(node.elseList)}`;
  return `{{${node.kind} ${pipeText(node.pipe)}}}${listText(node.list)}${otherwise}{{end}}`;
}

function pipeText(pipe: PipeNode): string {
  const variables = pipe.declarations.map(nodeText).join(', ');
  const declared = variables === '' ? '' : `${variables} ${pipe.assigns ? '=' : ':='} `;
  return declared + pipe.commands.map(commandText).join(' | ');
}

function commandText(command: CommandNode): string {
  return [command.first, ...command.args]
    .map((arg) => (arg.kind === 'pipe' ? `(${pipeText(arg)})` : nodeText(arg)))
    .join(' ');
}
