{{- define "helm-agent.fullname" -}}
{{- $name := default .Chart.Name .Values.nameOverride -}}
{{- if .Values.fullnameOverride -}}
{{- .Values.fullnameOverride | trunc 52 | trimSuffix "-" -}}
{{- else if contains $name .Release.Name -}}
{{- .Release.Name | trunc 52 | trimSuffix "-" -}}
{{- else -}}
{{- printf "%s-%s" .Release.Name $name | trunc 52 | trimSuffix "-" -}}
{{- end -}}
{{- end -}}

{{- define "helm-agent.selector" -}}
app.kubernetes.io/name: {{ default .Chart.Name .Values.nameOverride | trunc 63 }}
app.kubernetes.io/instance: {{ .Release.Name }}
{{- end -}}

{{- define "helm-agent.labels" -}}
{{ include "helm-agent.selector" . }}
{{- if .Chart.AppVersion }}
app.kubernetes.io/version: {{ .Chart.AppVersion | quote }}
{{- end }}
app.kubernetes.io/managed-by: {{ .Release.Service }}
helm.sh/chart: {{ printf "%s-%s" .Chart.Name .Chart.Version | replace "+" "_" | trunc 63 }}
{{- end -}}

{{- define "helm-agent.account" -}}
{{- default (include "helm-agent.fullname" .) .Values.serviceAccount.name -}}
{{- end -}}

{{- define "helm-agent.image" -}}
{{- with .Values.image -}}
{{- if .digest -}}
{{- printf "%s@%s" .repository .digest -}}
{{- else -}}
{{- printf "%s:%s" .repository (default "dev" .tag) -}}
{{- end -}}
{{- end -}}
{{- end -}}

{{/* Name of objects outside of the namespace. */}}
{{- define "helm-agent.clusterName" -}}
{{- $name := include "helm-agent.fullname" . -}}
{{- if eq $name .Release.Namespace -}}
{{- $name -}}
{{- else -}}
{{- printf "%s-%s" .Release.Namespace $name -}}
{{- end -}}
{{- end -}}

{{- define "helm-agent.subjects" -}}
- kind: ServiceAccount
  name: {{ include "helm-agent.account" . }}
  namespace: {{ .Release.Namespace }}
{{- end -}}

{{- define "helm-agent.enrols" -}}
{{- if or .Values.enrolment.token .Values.enrolment.existingSecret }}true{{ end -}}
{{- end -}}

{{/* The ConfigMap with the policy of the cluster's owner. Empty without a policy. */}}
{{- define "helm-agent.policyConfigMap" -}}
{{- with .Values.policy -}}
{{- if and .content .existingConfigMap -}}
{{- fail "policy.content and policy.existingConfigMap exclude each other" -}}
{{- end -}}
{{- if .existingConfigMap -}}
{{- .existingConfigMap -}}
{{- else if .content -}}
{{- printf "%s-policy" (include "helm-agent.fullname" $) -}}
{{- end -}}
{{- end -}}
{{- end -}}

{{/* The settings that the agent reads only when it starts. */}}
{{- define "helm-agent.settings" -}}
{{- $written := dict "HELM_AGENT_LEADER_ELECT" "" "HELM_AGENT_LOG_LEVEL" "logLevel" -}}
{{- $_ := set $written "HELM_AGENT_CONTROL_PLANE" "controlPlane.url" -}}
{{- $_ := set $written "HELM_AGENT_AGENT_ID" "agentId" -}}
{{- $_ := set $written "HELM_AGENT_INSECURE_TRANSPORT" "controlPlane.insecureTransport" -}}
{{- range $name, $_ := .Values.settings -}}
{{- if hasKey $written $name -}}
{{- $instead := empty (get $written $name) | ternary "" (printf ": set %s" (get $written $name)) -}}
{{- fail (printf "settings cannot have %s, which the chart writes itself%s" $name $instead) -}}
{{- end -}}
{{- end -}}
HELM_AGENT_CONTROL_PLANE: {{ required "controlPlane.url is required, such as wss://control-plane.example" .Values.controlPlane.url | toYaml }}
HELM_AGENT_AGENT_ID: {{ required "agentId is required: the name of this agent at the control plane" .Values.agentId | toYaml }}
{{- if .Values.controlPlane.insecureTransport }}
HELM_AGENT_INSECURE_TRANSPORT: 'true'
{{- end }}
# One replica works, and the others wait to take over.
HELM_AGENT_LEADER_ELECT: 'true'
# Charts are downloaded neither from the pod itself, nor from the services of a cloud that give out
# credentials, nor from private networks, such as that of the cluster. Remove `private` if a
# repository is there.
# Hooks and manifests of stored releases are used whoever wrote them, so that helm and the agent can
# share releases. With `own`, only those are used that the agent has written: docs/operations.md.
{{- range $name, $value := .Values.settings }}
{{ $name }}: {{ $value | toString | toYaml }}
{{- end }}
{{- with .Values.proxy }}
{{- if .httpsProxy }}
HTTPS_PROXY: {{ .httpsProxy | quote }}
{{- end }}
{{- if .httpProxy }}
HTTP_PROXY: {{ .httpProxy | quote }}
{{- end }}
{{- if .noProxy }}
NO_PROXY: {{ .noProxy | quote }}
{{- end }}
{{- end }}
{{- with .Values.tracing.endpoint }}
OTEL_EXPORTER_OTLP_ENDPOINT: {{ . | quote }}
OTEL_RESOURCE_ATTRIBUTES: k8s.namespace.name={{ $.Release.Namespace }}
{{- end }}
{{- end -}}

{{- define "helm-agent.podLabels" -}}
{{ include "helm-agent.selector" . }}
app.kubernetes.io/component: agent
{{- end -}}

{{- define "helm-agent.podAnnotations" -}}
kubectl.kubernetes.io/default-container: helm-agent
{{- /* a new level alone restarts nothing */}}
checksum/config: {{ include "helm-agent.settings" . | sha256sum }}
{{- end -}}

{{/* What the chart writes, and more names from the values at a path, which must not repeat it. */}}
{{- define "helm-agent.extended" -}}
{{- $written := fromYaml .written -}}
{{- range $name, $_ := .more -}}
{{- if hasKey $written $name -}}
{{- fail (printf "%s cannot have %s, which the chart writes itself" $.path $name) -}}
{{- end -}}
{{- end -}}
{{ .written }}
{{- with .more }}
{{ toYaml . }}
{{- end -}}
{{- end -}}
