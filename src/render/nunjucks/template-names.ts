/**
 * The paths that a template may mean by a name, in the order to try: the path as `Template.BasePath` gives it; a path that begins with a dot from the
 * folder of the file that says it; any other from the chart's `templates`. None of them leads out of the chart.
 * @param from the path of the file that names another, chart name first
 * @param basePath the chart's folder of templates, chart name first
 */
export function pathsOf(name: string, from: string, basePath: string): string[] {
  const chart = folderOf(basePath);
  const isRelative = name.startsWith('./') || name.startsWith('../');
  const relative = resolve(`${isRelative ? folderOf(from) : basePath}/${name}`);
  return [name, relative].filter((path) => path.startsWith(`${chart}/`) && resolve(path) === path);
}

function folderOf(path: string): string {
  return path.slice(0, path.lastIndexOf('/'));
}

function resolve(path: string): string {
  const parts: string[] = [];
  for (const part of path.split('/')) {
    if (part === '..') parts.pop();
    else if (part !== '.') parts.push(part);
  }
  return parts.join('/');
}
