// An agent on Helm's SDK with the packets of helm-agent, to compare with. It connects to the
// WebSocket server of the benchmark and performs install_release and uninstall_release.
//
//	sdk-agent URL CHARTS
package main

import (
	"context"
	"encoding/json"
	"log"
	"os"
	"path/filepath"
	"sync"
	"time"

	"github.com/gorilla/websocket"
	"go.yaml.in/yaml/v3"
	"helm.sh/helm/v4/pkg/action"
	"helm.sh/helm/v4/pkg/chart/loader"
	"helm.sh/helm/v4/pkg/cli"
	"helm.sh/helm/v4/pkg/kube"
)

type packet struct {
	Key     string `json:"key,omitempty"`
	Type    string `json:"type"`
	Payload string `json:"payload"`
}

type parameters struct {
	ReleaseName string `json:"releaseName"`
	Namespace   string `json:"namespace"`
	ChartName   string `json:"chartName"`
	Values      string `json:"values"`
}

// agent has one configuration for each namespace, so that clients and discovery are reused.
type agent struct {
	charts         string
	configurations map[string]*action.Configuration
	configuring    sync.Mutex
	connection     *websocket.Conn
	writing        sync.Mutex
}

func main() {
	dialer := websocket.Dialer{Subprotocols: []string{"helm-agent.v1"}}
	connection, _, err := dialer.Dial(os.Args[1], nil)
	if err != nil {
		log.Fatal(err)
	}
	a := &agent{charts: os.Args[2], configurations: map[string]*action.Configuration{}, connection: connection}
	a.send(packet{Type: "hello", Payload: `{"agentId":"sdk-agent"}`})
	for {
		var command packet
		if err := connection.ReadJSON(&command); err != nil {
			return
		}
		go a.perform(command)
	}
}

func (a *agent) perform(command packet) {
	var given parameters
	result := map[string]any{"ok": true}
	err := json.Unmarshal([]byte(command.Payload), &given)
	if err == nil && command.Type == "install_release" {
		err = a.install(given)
	} else if err == nil {
		err = a.uninstall(given)
	}
	if err != nil {
		result = map[string]any{"ok": false, "error": map[string]any{"code": "failed", "message": err.Error()}}
	}
	payload, _ := json.Marshal(result)
	a.send(packet{Key: command.Key, Type: "result", Payload: string(payload)})
}

func (a *agent) send(p packet) {
	a.writing.Lock()
	defer a.writing.Unlock()
	if err := a.connection.WriteJSON(p); err != nil {
		log.Fatal(err)
	}
}

func (a *agent) install(given parameters) error {
	configuration, err := a.configurationOf(given.Namespace)
	if err != nil {
		return err
	}
	chart, err := loader.Load(filepath.Join(a.charts, given.ChartName))
	if err != nil {
		return err
	}
	values := map[string]any{}
	if err := yaml.Unmarshal([]byte(given.Values), &values); err != nil {
		return err
	}
	install := action.NewInstall(configuration)
	install.ReleaseName = given.ReleaseName
	install.Namespace = given.Namespace
	install.WaitStrategy = kube.StatusWatcherStrategy
	install.WaitForJobs = true
	install.RollbackOnFailure = true
	install.Timeout = 5 * time.Minute
	_, err = install.RunWithContext(context.Background(), chart, values)
	return err
}

func (a *agent) uninstall(given parameters) error {
	configuration, err := a.configurationOf(given.Namespace)
	if err != nil {
		return err
	}
	uninstall := action.NewUninstall(configuration)
	uninstall.WaitStrategy = kube.StatusWatcherStrategy
	uninstall.Timeout = 5 * time.Minute
	_, err = uninstall.Run(given.ReleaseName)
	return err
}

func (a *agent) configurationOf(namespace string) (*action.Configuration, error) {
	a.configuring.Lock()
	defer a.configuring.Unlock()
	if known, ok := a.configurations[namespace]; ok {
		return known, nil
	}
	settings := cli.New()
	settings.SetNamespace(namespace)
	configuration := action.NewConfiguration()
	if err := configuration.Init(settings.RESTClientGetter(), namespace, "secret"); err != nil {
		return nil, err
	}
	a.configurations[namespace] = configuration
	return configuration, nil
}
