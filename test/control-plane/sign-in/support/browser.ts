/** A browser that keeps cookies by their origins, and follows no redirect by itself. */
export function browser() {
  const jars = new Map<string, Map<string, string>>();
  const jarOf = (url: string) => {
    const { origin } = new URL(url);
    const jar = jars.get(origin) ?? new Map<string, string>();
    jars.set(origin, jar);
    return jar;
  };
  return {
    jarOf,
    async open(url: string, init: RequestInit = {}): Promise<Response> {
      const jar = jarOf(url);
      const headers = new Headers(init.headers);
      if (jar.size > 0) headers.set('cookie', Array.from(jar, ([name, value]) => `${name}=${value}`).join('; '));
      const signal = AbortSignal.timeout(20_000);
      const response = await fetch(url, { redirect: 'manual', signal, ...init, headers });
      for (const cookie of response.headers.getSetCookie()) {
        const [, name = '', value = '', attributes = ''] = /^([^=]+)=([^;]*)(.*)$/.exec(cookie) ?? [];
        const isRemoved = /max-age=0|expires=Thu, 01 Jan 1970/i.test(attributes);
        if (isRemoved) jar.delete(name);
        else jar.set(name, value);
      }
      return response;
    },
  };
}
