/**
 * Returns a help text of helm, or of helm-agent, without its prose and examples. What remains must
 * be equal: how the command is called, its aliases, its subcommands, and the names, shorthands,
 * types and defaults of its flags. The global flags are those of the root command. Returns any
 * other text as it is.
 */
export function helpShape(text: string): string {
  const [, head = '', usage] = /^(.*?)(?<=^|\n)(Usage:\n.*)$/s.exec(text) ?? [];
  if (usage === undefined) return text;
  const isHelp = !/^(?:Error|Unknown)/.test(head);
  const sections = usage.split(/\n\n(?=[A-Z])/).filter((section) => !section.startsWith('Examples:'));
  return `${isHelp ? '' : head}${sections.map(sectionShape).join('\n\n')}`;
}

function sectionShape(section: string): string {
  const [title = '', ...lines] = section.split('\n');
  switch (title) {
    case 'Available Commands:':
      return [title, ...lines.map((line) => line.trim().split(' ')[0])].join('\n');
    case 'Flags:':
      return [title, ...lines.map(flagShape)].join('\n');
    case 'Global Flags:':
      return lines.at(-1) === '' ? `${title} …\n` : `${title} …`;
    default:
      return section;
  }
}

function flagShape(line: string): string {
  const [, flag = line] = /^( +(?:-\w, )?--\S+(?: \S+)?)(?: {3}|$)/.exec(line) ?? [];
  const [, shownDefault = ''] = / (\(default .*\))$/.exec(line) ?? [];
  return `${flag} ${shownDefault}`.trimEnd();
}
