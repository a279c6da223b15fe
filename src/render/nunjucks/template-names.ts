/**
 * Returns the paths that a name in a template can mean, in the order in which they are tried: the
 * name as a path with the chart's name in front; relative to the folder of the file if it begins
 * with `./` or `../`; otherwise relative to the chart's `templates`. None of them leads out of the
 * chart.
 * @param from path of the file that contains the name, with the chart's name in front
 * @param basePath path of the chart's templates, with the chart's name in front
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
