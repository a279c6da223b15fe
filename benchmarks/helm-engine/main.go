// helm-engine renders charts with Helm's own packages in one process and says how long each step took, for benchmarks/render.ts.
//
// It reads a JSON line for each chart from standard input and answers each with one.
package main

import (
	"encoding/json"
	"fmt"
	"io"
	"log/slog"
	"os"
	"strings"
	"time"

	"helm.sh/helm/v4/pkg/chart/common"
	"helm.sh/helm/v4/pkg/chart/common/util"
	chart "helm.sh/helm/v4/pkg/chart/v2"
	"helm.sh/helm/v4/pkg/chart/v2/loader"
	chartutil "helm.sh/helm/v4/pkg/chart/v2/util"
	"helm.sh/helm/v4/pkg/engine"
	releaseutil "helm.sh/helm/v4/pkg/release/v1/util"
)

type request struct {
	Chart       string `json:"chart"`  // path of an archive
	Values      string `json:"values"` // path of a values file, or empty
	Namespace   string `json:"namespace"`
	KubeVersion string `json:"kubeVersion"`
	// The chart is rendered until both are reached.
	MinRuns   int     `json:"minRuns"`
	MinMillis float64 `json:"minMillis"`
}

// All times are in milliseconds.
type answer struct {
	Load   float64   `json:"load"`   // the chart and the values, from disk
	Values []float64 `json:"values"` // merging and checking them, for each run
	Render []float64 `json:"render"` // the engine alone, for each run
	Sort   []float64 `json:"sort"`   // into hooks and manifests, for each run
	Error  string    `json:"error,omitempty"`
}

func main() {
	slog.SetDefault(slog.New(slog.NewTextHandler(io.Discard, nil)))
	in, out := json.NewDecoder(os.Stdin), json.NewEncoder(os.Stdout)
	for {
		var asked request
		if err := in.Decode(&asked); err == io.EOF {
			return
		} else if err != nil {
			fmt.Fprintln(os.Stderr, err)
			os.Exit(1)
		}
		measured, err := measure(asked)
		if err != nil {
			measured.Error = err.Error()
		}
		if err := out.Encode(measured); err != nil {
			fmt.Fprintln(os.Stderr, err)
			os.Exit(1)
		}
	}
}

func measure(asked request) (answer, error) {
	var measured answer
	start := time.Now()
	c, values, err := load(asked)
	if err != nil {
		return measured, err
	}
	measured.Load = since(start)

	capabilities := common.DefaultCapabilities.Copy()
	version, err := common.ParseKubeVersion(asked.KubeVersion)
	if err != nil {
		return measured, err
	}
	capabilities.KubeVersion = *version
	for run := 0; run < asked.MinRuns || since(start) < asked.MinMillis; run++ {
		options := common.ReleaseOptions{Name: fmt.Sprintf("run-%d", run), Namespace: asked.Namespace, Revision: 1, IsInstall: true}
		step := time.Now()
		merged, err := util.ToRenderValues(c, values, options, capabilities)
		if err != nil {
			return measured, err
		}
		measured.Values = append(measured.Values, since(step))

		step = time.Now()
		files, err := engine.Engine{}.Render(c, merged)
		if err != nil {
			return measured, err
		}
		measured.Render = append(measured.Render, since(step))

		step = time.Now()
		for name := range files {
			if strings.HasSuffix(name, "NOTES.txt") {
				delete(files, name)
			}
		}
		if _, _, err := releaseutil.SortManifests(files, nil, releaseutil.InstallOrder); err != nil {
			return measured, err
		}
		measured.Sort = append(measured.Sort, since(step))
	}
	return measured, nil
}

func load(asked request) (*chart.Chart, map[string]any, error) {
	c, err := loader.Load(asked.Chart)
	if err != nil {
		return nil, nil, err
	}
	values := map[string]any{}
	if asked.Values != "" {
		file, err := os.Open(asked.Values)
		if err != nil {
			return nil, nil, err
		}
		defer file.Close()
		if values, err = loader.LoadValues(file); err != nil {
			return nil, nil, err
		}
	}
	return c, values, chartutil.ProcessDependencies(c, values)
}

func since(start time.Time) float64 { return float64(time.Since(start).Nanoseconds()) / 1e6 }
