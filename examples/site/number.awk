# number: gives each file a number that stays. Reads `names`, then the files, one a line; appends
# new names to `names`; prints number and file.
FILENAME == "names" { number[$0] = ++last; next }
{
    name = encoded($0)
    if (length(name) > 500) next
    if (!(name in number)) {
        number[name] = ++last
        print name >>"names"
    }
    print number[name] "\t" $0
}
