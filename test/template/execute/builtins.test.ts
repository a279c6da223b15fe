import test from 'ava';
import { Int, int, int64, NamedMap, Slice, type Value } from '../../../src/go/value.ts';
import { SampleObject } from '../../go/sample-object.ts';
import { failure, type Json, render } from '../render.ts';

const prints = test.macro<[text: string, output: string, data?: Json | Value]>({
  exec(t, text, output, data = null) {
    t.is(render(text, data), output);
  },
  title: (_given, text, output) => `${text} prints ${JSON.stringify(output)}`,
});

/** Checks the error of the function itself. */
const fails = test.macro<[text: string, message: string, data?: Json | Value]>({
  exec(t, text, message, data = null) {
    t.is(failure(text, data).replace(/^.*: error calling [a-z]+: /, ''), message);
  },
  title: (_given, text, message) => `${text} fails: ${message}`,
});

const shortCircuit = { n: null, z: 0 };
test(prints, '{{and 1 0 2}} {{and 1 "a"}} {{or 0 "" "x"}} {{or 0 ""}}|', '0 a x |');
test(prints, '{{and .n .n.x}} {{or 1 .n.x}}', '<no value> 1', shortCircuit);
test(
  prints,
  '{{2 | and 1}} {{0 | or ""}} {{not 0}} {{not nil}} {{not .n}} {{not "a"}}',
  '2 0 true true true false',
  shortCircuit,
);
test(fails, '{{and (len nothing) 1}}', 'len of nil pointer');

test(
  prints,
  '{{eq 1 1}} {{eq "a" "b" "a"}} {{eq 1.5 1.5}} {{eq true false}} {{eq 1i 1i}} {{ne 1 2}}',
  'true true true false true true',
);
test(
  prints,
  '{{eq nil nil}} {{eq .n nil}} {{eq .z nil}} {{eq nil "a"}} {{eq (list) nil}}',
  'true true false false false',
  shortCircuit,
);
test(prints, '{{eq . 1}} {{eq 1 .}} {{lt . 2}} {{eq . -1}}', 'true true true false', new Int('uint8', 1n));
test(prints, '{{eq . 90}} {{lt . 91}}', 'true true', new SampleObject({ kind: 'int64', underlying: int64(90) }));
test(prints, '{{eq . .}}', 'true', new SampleObject({}));
test(prints, '{{eq "a" "a" 1}}', 'true');
test(fails, '{{eq 1}}', 'missing argument for comparison');
test(fails, '{{eq 1 1.0}}', 'incompatible types for comparison: int and float64');
test(fails, '{{eq "a" 1}}', 'incompatible types for comparison: string and int');
test(fails, '{{eq (list) (list)}}', 'non-comparable type []: []interface {}');
test(fails, '{{eq (list "a") (dict)}}', 'non-comparable types [a]: []interface {}, map[string]interface {}: map[]');

test(
  prints,
  '{{lt 1 2}} {{lt "a" "b"}} {{lt 1.5 1.0}} {{le 1 1}} {{gt 2 1}} {{ge 1 2}}',
  'true true false true true false',
);
test(prints, '{{lt "\uffee" "😀"}}', 'true');
test(fails, '{{lt true false}}', 'invalid type for comparison');
test(fails, '{{lt nil 1}}', 'invalid type for comparison');
test(fails, '{{gt 1 1.0}}', 'incompatible types for comparison: int and float64');

test(prints, '{{len "é日"}} {{len (list 1 2)}} {{len .}}', '5 2 1', { a: 1 });
test(fails, '{{len nil}}', 'reflect: call of reflect.Value.Type on zero Value');
test(fails, '{{len .n}}', 'len of nil pointer', shortCircuit);
test(fails, '{{len 3}}', 'len of type int');
test(fails, '{{len .}}', 'len of type sample.Type', new SampleObject({ kind: 'ptr', goType: '*sample.Type' }));

test(prints, '{{index . "a" 1}} {{index . "b"}} {{index "abc" 1}} {{index .}}', '2 <no value> 98 map[a:[1 2]]', {
  a: [1, 2],
});
test(prints, '[{{index . "b"}}]', '[]', new NamedMap('map[string]string'));
test(prints, '{{index . 0}}', 'x', new Slice('string', ['x']));
test(fails, '{{index nil 1}}', 'index of untyped nil');
test(fails, '{{index (list nil) 0 1}}', 'index of nil pointer');
test(fails, '{{index 1 1}}', `can't index item of type int`);
test(fails, '{{index (list 1) 2}}', 'index out of range: 2');
test(fails, '{{index (list 1) 1}}', 'reflect: slice index out of range');
test(fails, '{{index (list 1) -1}}', 'index out of range: -1');
test(fails, '{{index (list 1) nil}}', 'cannot index slice/array with nil');
test(fails, '{{index (list 1) "a"}}', 'cannot index slice/array with type string');
test(fails, '{{index "abc" 3}}', 'reflect: string index out of range');
test(fails, '{{index . 1}}', 'value has type int; should be string', {});
test(fails, '{{index . nil}}', 'value is nil; should be of type string', {});

test(prints, '{{slice "abc" 1}} {{slice "abc" 1 2}} {{slice (list 1 2 3) 1 2 3}} {{slice "abc"}}', 'bc b [2] abc');
test(prints, '{{slice "é" 1 | printf "%q"}}', String.raw`"\xa9"`);
test(fails, '{{slice nil 1}}', 'slice of untyped nil');
test(fails, '{{slice "abc" 1 2 3}}', 'cannot 3-index slice a string');
test(fails, '{{slice (list) 1 2 3 4}}', 'too many slice indexes: 4');
test(fails, '{{slice "abc" 2 1}}', 'invalid slice index: 2 > 1');
test(fails, '{{slice 1 1}}', `can't slice item of type int`);
test(fails, '{{slice "abc" 4}}', 'index out of range: 4');

test(prints, '{{print "a" 1 2 "b"}}|{{println "a" 1}}|{{printf "%03d" 7}}', 'a1 2b|a 1\n|007');
test(
  prints,
  `{{html "<a href='x'>&\\x00\\""}} {{html 1 2 nil}} {{"<" | html}}`,
  '&lt;a href=&#39;x&#39;&gt;&amp;\ufffd&#34; 1 2&lt;no value&gt; &lt;',
);
test(prints, `{{js "a'b\\"<>&=\\\\\\n\\u2028é"}}`, String.raw`a\'b\"\u003C\u003E\u0026\u003D\\\u000A\u2028é`);
test(prints, '{{js "\\xff\\xc3" | printf "%q"}}', String.raw`"\xff\xc3"`);
test(prints, '{{urlquery "a b/é~" 1}}', 'a+b%2F%C3%A9~1');
test(
  prints,
  '{{js .}}|{{html . 1 .}}',
  '{n}|{n} 1 {n}',
  new SampleObject({ kind: 'ptr', goType: '*t.T', members: [['N', 'n']] }),
);

test(fails, '{{call 1}}', 'non-function 1 of type int');
test(fails, '{{call nil}}', 'call of nil');
test(fails, '{{1.5 | call}}', 'non-function <float64 Value> of type float64');
test(fails, '{{"f" | call}}', 'non-function f of type string');

test('prefers a given function to the built-in one', (t) => {
  const functions = new Map([['len', { params: ['string'], call: () => int(42) }]]);
  t.is(render('{{len "a"}}', null, { functions }), '42');
});
