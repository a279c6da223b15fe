{{- define "control-plane.fullname" -}}
{{- $name := default .Chart.Name .Values.nameOverride -}}
{{- if .Values.fullnameOverride -}}
{{- .Values.fullnameOverride | trunc 52 | trimSuffix "-" -}}
{{- else if contains $name .Release.Name -}}
{{- .Release.Name | trunc 52 | trimSuffix "-" -}}
{{- else -}}
{{- printf "%s-%s" .Release.Name $name | trunc 52 | trimSuffix "-" -}}
{{- end -}}
{{- end -}}

{{- define "control-plane.selector" -}}
app.kubernetes.io/name: {{ default .Chart.Name .Values.nameOverride | trunc 63 }}
app.kubernetes.io/instance: {{ .Release.Name }}
{{- end -}}

{{- define "control-plane.labels" -}}
{{ include "control-plane.selector" . }}
{{- if .Chart.AppVersion }}
app.kubernetes.io/version: {{ .Chart.AppVersion | quote }}
{{- end }}
app.kubernetes.io/managed-by: {{ .Release.Service }}
helm.sh/chart: {{ printf "%s-%s" .Chart.Name .Chart.Version | replace "+" "_" | trunc 63 }}
{{- end -}}


{{- define "control-plane.image" -}}
{{- with .Values.image -}}
{{- if .digest -}}
{{- printf "%s@%s" .repository .digest -}}
{{- else -}}
{{- printf "%s:%s" .repository (default "dev" .tag) -}}
{{- end -}}
{{- end -}}
{{- end -}}

{{- define "control-plane.claim" -}}
{{- with .Values.persistence -}}
{{- or .existingClaim .claimName (printf "%s-data" (include "control-plane.fullname" $)) -}}
{{- end -}}
{{- end -}}

{{- define "control-plane.pods" -}}
- podSelector:
    matchLabels:
      {{- include "control-plane.selector" . | nindent 6 }}
      app.kubernetes.io/component: control-plane
{{- end }}

{{- define "control-plane.podLabels" -}}
{{ include "control-plane.selector" . }}
app.kubernetes.io/component: control-plane
{{- end -}}

{{/* What the chart writes, and more names from the values at a path, which must not repeat it. */}}
{{- define "control-plane.extended" -}}
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
