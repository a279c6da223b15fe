import test from 'ava';
import { Int, int64, NamedMap, Slice, type Value } from '../../src/go/value.ts';
import { SampleObject } from '../go/sample-object.ts';
import { failure, type Json, render } from './render.ts';

const prints = test.macro<[text: string, output: string, data?: Json | Value]>({
  exec(t, text, output, data = null) {
    t.is(render(text, data), output);
  },
  title: (_given, text, output) => `${text} prints ${JSON.stringify(output)}`,
});

// actions and values
test(prints, 'plain', 'plain');
test(prints, '{{1}} {{1.0}} {{1e6}} {{0x1F}} {{0o17}} {{1_000}} {{-0xE}}', '1 1 1e+06 31 15 1000 -14');
test(prints, `{{'a'}} {{"b"}} {{\`c\`}} {{true}} {{1i}}`, '97 b c true (0+1i)');
test(prints, '{{.}} {{.a}} {{.b}} {{.c.d}}', 'map[a:1 c:map[d:x]] 1 <no value> x', { a: 1, c: { d: 'x' } });
test(prints, '{{.l}} {{.n}}', '[1 <nil>] <no value>', { l: [1, null], n: null });
test(prints, '{{.__proto__}}{{.constructor}}', '<no value><no value>', { a: 1 });

// pipelines
test(prints, '{{"a" | upper | printf "%s-%s" "b"}}', 'b-A');
test(prints, '{{(.a).b.c}}|{{.x.y | default "d"}}', 'v|d', { a: { b: { c: 'v' } }, x: {} });
test(prints, '{{(.missing).x | default "d"}}', 'd', {});
test(prints, '{{nothing}} {{nothing | default 1}}', '<no value> 1');

// conditions
test(prints, '{{if .a}}a{{else if .b}}b{{else}}c{{end}}', 'b', { a: '', b: [0] });
test(prints, '{{if 0}}a{{end}}{{if 0.0}}b{{end}}{{if ""}}c{{end}}{{if nothing}}d{{end}}{{if 0i}}e{{end}}', '');
test(prints, '{{with .a}}{{.b}}{{else with .c}}{{.}}{{else}}n{{end}}{{.d}}', 'cd', { c: 'c', d: 'd' });
test(prints, '{{with $x := .a}}{{$x}}{{.}}{{$.b}}{{end}}', 'aab', { a: 'a', b: 'b' });

// ranges
test(prints, '{{range .}}[{{.}}]{{end}}', '[1][x]', [1, 'x']);
test(prints, '{{range $i, $v := .}}{{$i}}={{$v}} {{end}}', '0=a 1=b ', ['a', 'b']);
test(prints, '{{range $k, $v := .}}{{$k}}={{$v}} {{end}}', '10=c 9=b a=d é=e ', { é: 'e', 9: 'b', 10: 'c', a: 'd' });
test(prints, '{{range $v := .}}{{$v}}{{end}}{{range .}}{{else}}none{{end}}', 'none', []);
test(prints, '{{range 3}}{{.}}{{end}}{{range $i := 2}}{{$i}}{{end}}{{range 0}}{{else}}e{{end}}', '01201e');
test(prints, '{{range nothing}}x{{else}}e{{end}}', 'e');
test(
  prints,
  '{{range .}}{{if eq . 2.0}}{{continue}}{{end}}{{if eq . 4.0}}{{break}}{{end}}{{.}}{{end}}',
  '13',
  [1, 2, 3, 4, 5],
);
test(prints, '{{range .}}{{range .}}{{break}}{{end}}x{{end}}', 'xx', [[1], [2]]);
test(prints, '{{range $i, $e := .}}{{with $e}}{{if .}}{{continue}}{{end}}{{end}}{{$i}}{{end}}{{.}}', '1[1 0]', [1, 0]);
test(prints, '{{range $k, $v := .}}{{$k}}{{$v}}{{set $ "c" 3 | len}}{{end}}', 'a13b23', { a: 1, b: 2 });
test(prints, '{{range .}}{{.}} {{end}}', '0 1 ', int64(2));
test(prints, '{{range .}}{{printf "%T" .}} {{end}}', 'uint8 uint8 ', Uint8Array.of(1, 2));

// variables
test(prints, '{{$x := 1}}{{$x}}{{$x = 2}}{{$x}}{{$x := 3}}{{$x}}', '123');
test(prints, '{{$x := 1}}{{if true}}{{$x := 2}}{{$x}}{{end}}{{$x}}', '21');
test(prints, '{{$x := 1}}{{if true}}{{$x = 2}}{{end}}{{$x}}', '2');
test(prints, '{{$x := 0}}{{range .}}{{$x = .}}{{end}}{{$x}}', '3', [1, 2, 3]);
test(prints, '{{$k := ""}}{{$v := 0}}{{range $k, $v = .}}{{end}}{{$k}}{{$v}}', 'b2', { a: 1, b: 2 });
test(prints, '{{range $v := .}}{{else}}{{$v}}{{end}}', '[]', []);
test(prints, '{{$x := .n}}{{$x.y.z}}', '<no value>', { n: null });
test(prints, '{{if $x := 5}}{{$x}}{{end}}{{$}}', '5<no value>');

// templates
test(prints, '{{define "a"}}[{{.}}]{{end}}{{template "a" 1}}{{template "a"}}', '[1][<no value>]');
test(prints, '{{define "a"}}{{$}}{{end}}{{$x := 1}}{{template "a" $x}}', '1');
test(prints, '{{block "b" .x}}<{{.}}>{{end}}', '<1>', { x: 1 });
test(prints, '{{define "f"}}{{if .}}{{len .}}{{template "f" slice . 1}}{{end}}{{end}}{{template "f" "abc"}}', '321');

// arguments
test(prints, '{{twice 2}} {{twice 1e1}} {{half 3}} {{half 1.5}} {{negate true}}', '4 20 1.5 0.75 false');
test(prints, '{{size nil}} {{size .}} {{join "," nil}}', '0 1 ', { a: 1 });
test(prints, '{{default nil nil}} {{list nil . | len}}', '<no value> 2');

// objects
const pointer = new SampleObject({
  kind: 'ptr',
  goType: '*sample.Type',
  members: [
    ['Name', 'n'],
    ['Next', null],
  ],
});
test(prints, '{{.}} {{.Name}} {{print .}}', '{n <nil>} n &{n <nil>}', pointer);
test(
  prints,
  '{{.}} {{print .}} {{len .}}',
  'text text 3',
  new SampleObject({ kind: 'string', underlying: 'abc', text: 'text' }),
);
test(
  prints,
  '{{.a}}{{range $k, $v := .}}{{$k}}{{$v}}{{end}}{{len .}}',
  '1a11',
  new SampleObject({ kind: 'map', contents: new Map([['a', 1]]) }),
);
test(prints, '{{.b}}|{{.a}}', '|x', new NamedMap('map[string]string', [['a', 'x']]));

// errors
const fails = test.macro<[text: string, message: string, data?: Json | Value]>({
  exec(t, text, message, data = null) {
    t.is(failure(text, data), `template: t:${message}`);
  },
  title: (_given, text, message) => `${JSON.stringify(text)} fails: ${message}`,
});

test(fails, '{{.a.b.c}}', '1:4: executing "t" at <.a.b.c>: nil pointer evaluating interface {}.c', { a: {} });
test(fails, 'é\n é{{.a.b}}', '2:7: executing "t" at <.a.b>: nil pointer evaluating interface {}.b', {});
test(fails, '{{.a.b}}', `1:4: executing "t" at <.a.b>: can't evaluate field b in type interface {}`, { a: 'x' });
test(fails, '{{.a}}', `1:2: executing "t" at <.a>: can't evaluate field a in type string`, 'x');
test(fails, '{{range .}}{{.x}}{{end}}', `1:13: executing "t" at <.x>: can't evaluate field x in type interface {}`, [
  'a',
]);
test(
  fails,
  '{{range .}}{{.x}}{{end}}',
  `1:13: executing "t" at <.x>: can't evaluate field x in type string`,
  new Slice('string', ['a']),
);
test(fails, '{{range .}}{{.x}}{{end}}', '1:13: executing "t" at <.x>: nil pointer evaluating interface {}.x', [null]);
test(
  fails,
  '{{range $v := .}}{{$v.x}}{{end}}',
  `1:21: executing "t" at <$v.x>: can't evaluate field x in type interface {}`,
  ['a'],
);
test(
  fails,
  '{{range $v := .}}{{$v = .}}{{$v.x}}{{end}}',
  `1:31: executing "t" at <$v.x>: can't evaluate field x in type string`,
  ['a'],
);
test(fails, '{{(dict "a" 1).b.c}}', '1:12: executing "t" at <1>: nil pointer evaluating interface {}.c');
test(fails, '{{(and 1 .a).b}}', `1:9: executing "t" at <.a>: can't evaluate field b in type string`, { a: 'x' });
test(fails, '{{(or .a 1).b}}', `1:6: executing "t" at <.a>: can't evaluate field b in type string`, { a: 'x' });
test(fails, '{{.x 1}}', '1:2: executing "t" at <.x>: x is not a method but has arguments', { x: 1 });
test(fails, '{{1 | .x}}', '1:6: executing "t" at <.x>: x is not a method but has arguments', { x: 1 });
test(
  fails,
  '{{.Name 1}}',
  '1:2: executing "t" at <.Name>: Name has arguments but cannot be invoked as function',
  pointer,
);
test(
  fails,
  '{{.name}}',
  '1:2: executing "t" at <.name>: name is an unexported field of struct type sample.Type',
  new SampleObject({ members: [['name', 1]] }),
);
test(fails, '{{nil}}', '1:2: executing "t" at <nil>: nil is not a command');
test(fails, '{{nil.a}}', '1: unexpected . after term "nil"');
test(fails, '{{1 2}}', `1:2: executing "t" at <1>: can't give argument to non-function 1`);
test(fails, '{{(1) 2}}', `1:2: executing "t" at <(1) 2>: can't give argument to non-function 1`);
test(fails, '{{$x := 1}}{{2 | $x}}', `1:17: executing "t" at <$x>: can't give argument to non-function $x`);
test(fails, '{{$x = 1}}', '1:7: executing "t" at <1>: undefined variable: $x');
test(fails, '{{range $i, $v = list 1}}{{end}}', '1:22: executing "t" at <1>: undefined variable: $i');
test(fails, '{{range .a}}{{end}}', `1:8: executing "t" at <.a>: range can't iterate over 1.5`, { a: 1.5 });
test(
  fails,
  '{{range $i, $v := 3}}{{end}}',
  `1:18: executing "t" at <3>: can't use 3 to iterate over more than one variable`,
);
test(fails, '{{range .}}{{end}}', `1:8: executing "t" at <.>: range can't iterate over {n <nil>}`, pointer);
test(fails, '{{template "nope"}}', '1:11: executing "t" at <{{template "nope"}}>: template "nope" not defined');
test(
  fails,
  '{{define "a"}}\n{{.x.y}}{{end}}{{template "a" .}}',
  '2:4: executing "a" at <.x.y>: nil pointer evaluating interface {}.y',
  {},
);
test(
  fails,
  '{{9223372036854775808}}',
  '1:2: executing "t" at <9223372036854775808>: 9223372036854775808 overflows int',
);
test(
  fails,
  '{{.}}',
  `1:2: executing "t" at <{{.}}>: can't print {{.}} of type func()`,
  new SampleObject({ kind: 'func', goType: 'func()' }),
);

// arguments of wrong types
test(fails, '{{upper}}', '1:2: executing "t" at <upper>: wrong number of args for upper: want 1 got 0');
test(fails, '{{"a" | upper "b"}}', '1:8: executing "t" at <upper>: wrong number of args for upper: want 1 got 2');
test(fails, '{{printf}}', '1:2: executing "t" at <printf>: wrong number of args for printf: want at least 1 got 0');
test(fails, '{{upper 1}}', '1:8: executing "t" at <1>: expected string; found 1');
test(fails, '{{upper nil}}', '1:8: executing "t" at <nil>: cannot assign nil to string');
test(fails, '{{twice 1.5}}', '1:8: executing "t" at <1.5>: expected integer; found 1.5');
test(fails, '{{half "x"}}', '1:7: executing "t" at <"x">: expected float; found "x"');
test(fails, '{{negate 1}}', '1:9: executing "t" at <1>: expected bool; found 1');
test(fails, '{{size 1}}', `1:7: executing "t" at <1>: can't handle 1 for arg of type map[string]interface {}`);
test(fails, '{{upper .n}}', '1:8: executing "t" at <.n>: wrong type for value; expected string; got interface {}', {
  n: null,
});
test(fails, '{{.n | upper}}', '1:7: executing "t" at <upper>: invalid value; expected string', { n: null });
test(fails, '{{upper .a}}', '1:8: executing "t" at <.a>: wrong type for value; expected string; got float64', { a: 1 });
test(fails, '{{twice .a}}', '1:8: executing "t" at <.a>: wrong type for value; expected int; got float64', { a: 1 });
test(
  fails,
  '{{1 | printf .a}}',
  '1:13: executing "t" at <.a>: wrong type for value; expected string; got []interface {}',
  { a: [] },
);
test(
  fails,
  '{{set nil "a" 1}}',
  '1:2: executing "t" at <set nil "a" 1>: error calling set: assignment to entry in nil map',
);

test('keeps the type of integers', (t) => {
  t.is(render('{{printf "%T" .}}', new Int('uint8', 1n)), 'uint8');
  t.is(
    failure('{{twice .}}', int64(1)),
    'template: t:1:8: executing "t" at <.>: wrong type for value; expected int; got int64',
  );
});
