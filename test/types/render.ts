// Types of `helm-agent/render`. The compiler checks them here, and `npm run build` checks them
// against the declarations of the packages.
import { expectTypeOf } from 'expect-type';
import type { RenderError } from '../../src/render/index.ts';
import {
  type ChartInput,
  createRenderer,
  loadChart,
  type LoadedChart,
  renderChart,
  type RenderChartOptions,
  type RenderedChart,
  type RenderPosition,
} from '../../src/render/index.ts';

declare const input: ChartInput;
declare const options: RenderChartOptions;
expectTypeOf(renderChart).toBeCallableWith(input);
expectTypeOf(renderChart).toBeCallableWith(input, options);
expectTypeOf(renderChart(input)).resolves.toEqualTypeOf<RenderedChart>();
expectTypeOf(loadChart).returns.resolves.toEqualTypeOf<LoadedChart>();
expectTypeOf<LoadedChart['render']>().returns.resolves.toEqualTypeOf<RenderedChart>();
expectTypeOf(createRenderer).returns.toExtend<AsyncDisposable>();

expectTypeOf<RenderedChart['manifest']>().toEqualTypeOf<string>();
expectTypeOf<RenderError['code']>().toExtend<string>();
expectTypeOf<RenderError['position']>().toEqualTypeOf<RenderPosition | undefined>();

// a chart is a path, bytes, a stream or files
expectTypeOf<string>().toExtend<ChartInput>();
expectTypeOf<Uint8Array>().toExtend<ChartInput>();
expectTypeOf<AsyncIterable<Uint8Array>>().toExtend<ChartInput>();
expectTypeOf<{ 'Chart.yaml': string }>().toExtend<ChartInput>();
expectTypeOf<number>().not.toExtend<ChartInput>();

// values are YAML, data, or a list of both
expectTypeOf<{ values: string }>().toExtend<RenderChartOptions>();
expectTypeOf<{ values: [string, { replicas: 3 }] }>().toExtend<RenderChartOptions>();
expectTypeOf<{ set: string }>().not.toExtend<RenderChartOptions>();
