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
