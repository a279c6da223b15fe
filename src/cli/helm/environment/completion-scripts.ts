export type Shell = 'bash' | 'zsh' | 'fish' | 'powershell';

/**
 * Returns a script that completes `helm` in a shell. It asks the hidden command `__complete` for
 * the candidates.
 */
export function completionScript(shell: Shell, hasDescriptions: boolean): string {
  return scripts[shell](hasDescriptions ? '__complete' : '__completeNoDesc');
}

type Script = (command: string) => string;

const bash: Script = () => `# bash completion for helm
__start_helm() {
    local IFS=$'\\n' answer candidates current
    local words=("\${COMP_WORDS[@]}") cword=$COMP_CWORD
    if declare -F _get_comp_words_by_ref >/dev/null; then
        _get_comp_words_by_ref -n =: words cword
    fi
    current=\${words[cword]-}
    answer=$(helm __completeNoDesc "\${words[@]:1:cword-1}" "$current" 2>/dev/null) || return
    [[ $current == -*=* ]] && current=\${current#*=}
    candidates=\${answer%:*}
    COMPREPLY=($(compgen -W "$candidates" -- "$current"))
    (( \${answer##*:} & 2 )) && compopt -o nospace 2>/dev/null
    (( \${answer##*:} & 4 )) && compopt +o default 2>/dev/null
    return 0
}
complete -o default -F __start_helm helm
`;

const zsh: Script = (command) => `#compdef helm
_helm() {
    local answer line
    local -a candidates options
    answer=$(helm ${command} "\${(@)words[2,CURRENT]}" 2>/dev/null) || return
    for line in \${(f)answer%:*}; do
        line=\${line//:/\\\\:}
        candidates+=("\${line/$'\\t'/:}")
    done
    if (( \${#candidates} )); then
        (( \${answer##*:} & 2 )) && options=(-S '')
        _describe helm candidates $options
    elif (( ! (\${answer##*:} & 4) )); then
        _files
    fi
}
compdef _helm helm
`;

const fish: Script = (command) => `# fish completion for helm
function __helm_candidates
    set -l words (commandline -opc) (commandline -ct)
    helm ${command} $words[2..-1] 2>/dev/null | string match -v -r '^:\\d+$'
end
complete -c helm -a '(__helm_candidates)'
`;

const powershell: Script = (command) => `# powershell completion for helm
Register-ArgumentCompleter -Native -CommandName helm -ScriptBlock {
    param($WordToComplete, $CommandAst, $CursorPosition)
    $words = @($CommandAst.CommandElements | Select-Object -Skip 1 | ForEach-Object { "$_" })
    if ($WordToComplete -eq '') { $words += '""' }
    helm ${command} @words 2>$null | Where-Object { $_ -notmatch '^:\\d+$' } | ForEach-Object {
        $name, $description = $_ -split "\\t", 2
        if (-not $description) { $description = $name }
        [System.Management.Automation.CompletionResult]::new($name, $name, 'ParameterValue', $description)
    }
}
`;

const scripts: Readonly<Record<Shell, Script>> = { bash, zsh, fish, powershell };
