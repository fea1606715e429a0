// English words that are nobody's name. The headlines that the model was trained on write nearly Every Word Like This, so
// for these no small letter there bears witness; written by hand, so that no film, star or town gets among them.
const list = `
a about above absolutely across action actual actually add adorable adults advice after again against ago air alert alive
all almost alone already also always amazing amazingly an and annoying another answer answers any anyone anything anxiety appreciate apps are
aren't around art as ask at ate attack away awesome awful awkward baby back bad badass bake ball bands basic basically bath be beard
beautiful beautifully beauty became because become bed been before behind behind-the-scenes being believe belong best better
beyond biggest bizarre blanket body bombshell book books born boss both box boy boyfriend boys brain breakfast breaking breathtaking brilliant brutal
brutally bunch burger but butt by cake calendar came can can't candy cannot car carpet cat cats caption celeb celebs celebrities celebrity challenge change chaos
character characters charts cheap chicken child childhood children chocolate class clever clothes college color colors colour comics common completely
confessions confused cook cooker cooking cookie cookies cool cost costume costumes could couldn't country couple couples covers crazy
creepy crime crisis crowd crush cry cute cutest dad dads damn dance dancing danger dangerous dark dating daughter day days dead deadly deal dear death deep definitely
definitive delicious delightful describe deserve desperate desserts dessert destroyed destroys determine devastating did didn't difference different dinner dinners disaster disgusting dishes do does doesn't dog dogs doing dollars
don't done down drama dream dreams dress drink drunk dude dudes each easy eat eating eats effective effortless else embarrassing emoji emojis
emotional end ending enough entire epic essays even ever every everybody everyday everyone everyone's everything everywhere evil exact exactly excited exclusive expectations explains exposed
extreme extremely eyebrows eyes fabulous face facts fail fall family famous fans far fashion fast favorite favourite feel feelings feels feminist
fictional fight finally find fire first flawless follow food foods for forced forever forget forgot free freaking friend friends friendship from fucking
fuck full fun funny funniest furious games gave genius genuinely get gets getting ghost gift gifts girl girlfriend girls give glad glorious go god goes going gone good gorgeous
gossip got great greatest grew grilled gross grow guaranteed guess guide guy guys had hair hairstyle hand handle handmade happen happened happens happier happiest happy
hard hardest has hashtag hate hated hates haunted have having he he's head health healthier healthy hear heart heart-warming heartbreaking heartwarming hell hello help her here here's hero hey
hidden high hilarious hilariously him his hit holiday holidays home honest honestly hope horoscope horrific horrible horrifying horror hot hottest house how how's huge human humans
hurt husband i i'm iconic idea ideas if illustrated immediately important in incredible incredibly insane insanely inside inspired inspiring instead internet interview into is isn't it
it's item items its jaw-dropping jokes just keep keeps kick-ass kid kids kill killed killer kind kinds kissed kitchen knew know knows last laugh laughing lazy learn learned least leave left legendary
lesbian lesbians lessons let let's life life-changing like liked line list listen literally little live lived lives living long look looked looking looks lost lot love loved lovely lover lovers
loves lyric lyrics mad made magic magical major make makes makeup making man many married marry massive matches matter may me mean meaning meme
memes men mental might mildly mind mind-blowing minds mini minutes miracle mistakes moment moments mom mom's moms money monster more morning most mother motivational mouth move movie movies much mum music must
my myself nailed nails naked name nasty need needed needs never new news next nice night nightmare no nobody normal not nothing noticed now number obsessed of off office
oh ok okay old on once one ones only open or other our out outfit outfits outrageous over own pain panic parents part party past peak people perfect perfectly period person
personality phone photo photographer photos pics picture pictures pie pizza place places plans play please plot plus-size poor pop popular posts power powerful pregnant pretty pride priceless probably problem problems
proof prove proved proves pumpkin puns puppies puppy put queer question questions quiz quote quotes radical rage rather reactions reaction read ready real reality realised realized
really reason reasons recipe recipes recognise recognize reimagined relatable relate relationship relationships remember reminder resolutions restored revealed reveals rice ridiculous ridiculously right ruined ruins sad said same
sang save saw say saying says scandal scary scene scream season secret secretly secrets see seen selfie selfies self-care sensational sensationally series serious seriously settle sex sexist sexual sexually sexy shame
shared she she's shit shock shocked shocking shockingly shocks should shouldn't show shows signs simple simply sing singing single sisters skin slammed slams slayed sleep slightly slow small smart smile snacks so social solve some
somebody someone someone's something sometimes son song songs soul soulmate spectacular spirit spooky stars start still stop stopped stories story straight strange stuff stunning stunningly stupid style sum summed super superhero
sure surprising surprise surprisingly survive sweet take takes taken talk talking taste tattoo tattoos teach tears teens tell terrible terribly terrifying terror than thanks that that'll that's the their them themselves there
there's these they they're they've thing things think thinks this those thought thoughts thousands threat through throw time times tinier tiny tips tired to today together told tomorrow tonight too took top total totally touch tough town toys
tragedy tragic trailer trans transformations treats tree trends tricks true truly truth truths try trying tweet tweets type types ugly ultimate unbelievable unbelievably under underrated understand underwear unexpected unforgettable universe
unreal until up upset urgent us use used utter utterly vegan very video videos villain viral wait wake want wanted wants war warm warning was wasn't watch watching way ways we we'll we're we've wear wearing wedding week
weekend weird weirdest weirdly well went were weren't what what's whatever when whenever where whether which while who who's whoever whole whose why wife wild will win wine wins wish with without woman
women won't wonderful words wore work workout works world worse worst would wouldn't wow write wrong wrote yeah year years yes yesterday yet you you'd you'll you're you've young your yours yourself
zodiac behaviour centre defence favour honour licence neighbour neighbours offence programme
`;

export const ordinaryWords: ReadonlySet<string> = new Set(list.split(/\s+/).filter(Boolean));
