"""What a shell script does with literal words: a small evaluator, for scripts that units run.

It knows loops over words, assignments, arithmetic, conditions on words, functions, echo,
printf, tee and redirections, and gives what they write, in order. Whatever it does not know
leaves a hole in a text, makes what follows uncertain, or is a gap that names the construct.
The grammar is tree-sitter-bash's; both libraries are imported when the first script is read.
"""
