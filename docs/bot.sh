# Plays games at random through one pipe, by default one. The first command of each is refused on purpose: the pipe goes on.
mkfifo replies && trap "rm replies" EXIT
jq --unbuffered --compact-output --null-input --argjson games "${1:-1}" '
    def begin_game: .game += 1 | .next = {new: "bot-\(.game)", seed: .game};
    def handle($reply): .place = "bot-\(.game)" | if $reply.answer.command == "new" then .next = {do: "bid 99", place}
        elif $reply.code == 1 then .refused += 1 | .next = {legal: {place, sample: 1}}
        elif $reply.code > 0 then $reply.error | halt_error
        elif $reply.answer.command == "legal" then .next = {do: $reply.answer.legal, place, sample: 1}
        else .moves += 1 | .next.do = $reply.answer.drawn | .next.sample += 1
            | if $reply.answer.position.over then .finished += 1 | begin_game else . end end;
    {game: 0} | begin_game | .next, foreach inputs as $reply (.; handle($reply);
        if .finished == $games then "games: \(.finished), moves: \(.moves), refused: \(.refused)\n" | halt_error(0) else .next end)
' <replies | zim pipe >replies
