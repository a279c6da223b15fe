export type Shell = 'bash' | 'zsh' | 'fish' | 'powershell';

/**
 * Returns a script that completes a program in a shell. It asks the hidden command `__complete` for
 * the candidates.
 */
export function completionScript(program: string, shell: Shell, hasDescriptions: boolean): string {
  const command = hasDescriptions ? '__complete' : '__completeNoDesc';
  return scripts[shell](program, command, program.replaceAll('-', '_'));
}

/** `id` is the name of the program for functions. */
type Script = (program: string, command: string, id: string) => string;

const bash: Script = (program, _, id) => `# bash completion for ${program}
__start_${id}() {
    local IFS=$'\\n' answer candidates current
    local words=("\${COMP_WORDS[@]}") cword=$COMP_CWORD
    if declare -F _get_comp_words_by_ref >/dev/null; then
        _get_comp_words_by_ref -n =: words cword
    fi
    current=\${words[cword]-}
    answer=$(${program} __completeNoDesc "\${words[@]:1:cword-1}" "$current" 2>/dev/null) || return
    [[ $current == -*=* ]] && current=\${current#*=}
    candidates=\${answer%:*}
    COMPREPLY=($(compgen -W "$candidates" -- "$current"))
    (( \${answer##*:} & 2 )) && compopt -o nospace 2>/dev/null
    (( \${answer##*:} & 4 )) && compopt +o default 2>/dev/null
    return 0
}
complete -o default -F __start_${id} ${program}
`;

const zsh: Script = (program, command, id) => `#compdef ${program}
_${id}() {
    local answer line
    local -a candidates options
    answer=$(${program} ${command} "\${(@)words[2,CURRENT]}" 2>/dev/null) || return
    for line in \${(f)answer%:*}; do
        line=\${line//:/\\\\:}
        candidates+=("\${line/$'\\t'/:}")
    done
    if (( \${#candidates} )); then
        (( \${answer##*:} & 2 )) && options=(-S '')
        _describe ${program} candidates $options
    elif (( ! (\${answer##*:} & 4) )); then
        _files
    fi
}
compdef _${id} ${program}
`;

const fish: Script = (program, command, id) => `# fish completion for ${program}
function __${id}_candidates
    set -l words (commandline -opc) (commandline -ct)
    ${program} ${command} $words[2..-1] 2>/dev/null | string match -v -r '^:\\d+$'
end
complete -c ${program} -a '(__${id}_candidates)'
`;

const powershell: Script = (program, command) => `# powershell completion for ${program}
Register-ArgumentCompleter -Native -CommandName ${program} -ScriptBlock {
    param($WordToComplete, $CommandAst, $CursorPosition)
    $words = @($CommandAst.CommandElements | Select-Object -Skip 1 | ForEach-Object { "$_" })
    if ($WordToComplete -eq '') { $words += '""' }
    ${program} ${command} @words 2>$null | Where-Object { $_ -notmatch '^:\\d+$' } | ForEach-Object {
        $name, $description = $_ -split "\\t", 2
        if (-not $description) { $description = $name }
        [System.Management.Automation.CompletionResult]::new($name, $name, 'ParameterValue', $description)
    }
}
`;

const scripts: Readonly<Record<Shell, Script>> = { bash, zsh, fish, powershell };
