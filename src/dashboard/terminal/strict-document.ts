/** A document in which xterm.js keeps the Content-Security-Policy, and what it has added to it. */
export interface StrictDocument {
  readonly document: Document;
  /** Opens the terminal. Its scroll bar uses the document of the page, whatever the option says. */
  during(open: () => void): void;
  /** Removes the style sheets. */
  close(): void;
}

/**
 * Returns a document that makes elements of xterm.js without inline styles, which the policy of the
 * page forbids: `<style>` is a style sheet of the document, and the attribute `style` is set by the
 * object model. ADR 61 says why.
 */
export function strictDocument(original: Document): StrictDocument {
  const sheets = new Set<CSSStyleSheet>();
  const remove = (sheet: CSSStyleSheet) => {
    sheets.delete(sheet);
    original.adoptedStyleSheets = original.adoptedStyleSheets.filter((other) => other !== sheet);
  };
  const plainElement = (name: string) => original.createElementNS('http://www.w3.org/1999/xhtml', name);
  const styleElement = () => {
    const sheet = new CSSStyleSheet();
    sheets.add(sheet);
    original.adoptedStyleSheets = [...original.adoptedStyleSheets, sheet];
    const element = plainElement('span');
    element.hidden = true;
    Object.defineProperty(element, 'textContent', { set: (text: string) => sheet.replaceSync(text) });
    element.remove = () => {
      remove(sheet);
      Element.prototype.remove.call(element);
    };
    return element;
  };
  const createElement = (name: string) => {
    if (name === 'style') return styleElement();
    const element = plainElement(name);
    element.setAttribute = (attribute: string, value: string) => {
      if (attribute === 'style') element.style.cssText = value;
      else Element.prototype.setAttribute.call(element, attribute, value);
    };
    return element;
  };
  const document = new Proxy(original, {
    get(target, name) {
      if (name === 'createElement') return createElement;
      const value: unknown = Reflect.get(target, name, target);
      // methods of a document work on that alone
      return typeof value === 'function' ? (value.bind(target) as unknown) : value;
    },
    set: (target, name, value) => Reflect.set(target, name, value, target),
  });
  const during = (opens: () => void) => {
    Object.defineProperty(original, 'createElement', { value: createElement, configurable: true });
    try {
      opens();
    } finally {
      Reflect.deleteProperty(original, 'createElement');
    }
  };
  return { document, during, close: () => [...sheets].forEach(remove) };
}
