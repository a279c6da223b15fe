const containerFields = ['containers', 'initContainers', 'ephemeralContainers'];

/**
 * Returns the images in an object or a patch: those of its containers, wherever a pod is described
 * in it, and those of volumes of images.
 */
export function imagesOf(object: unknown): Set<string> {
  const images = new Set<string>();
  const rest: object[] = [];
  const visit = (value: unknown) => {
    if (typeof value === 'object' && value !== null) rest.push(value);
  };
  visit(object);
  for (let value = rest.pop(); value !== undefined; value = rest.pop()) {
    if (Array.isArray(value)) {
      for (const item of value as unknown[]) visit(item);
      continue;
    }
    for (const name of Object.keys(value)) {
      const content = (value as Record<string, unknown>)[name];
      if (typeof content !== 'object' || content === null) continue; // most fields are texts
      if (Array.isArray(content) && containerFields.includes(name)) {
        for (const container of content as unknown[]) add(images, textOf(container, 'image'));
      } else if (name === 'image') {
        add(images, textOf(content, 'reference'));
      }
      rest.push(content);
    }
  }
  return images;
}

function textOf(value: unknown, name: string): unknown {
  return Object(value) === value ? (value as Record<string, unknown>)[name] : undefined;
}

function add(images: Set<string>, image: unknown): void {
  if (typeof image === 'string') images.add(image);
}
