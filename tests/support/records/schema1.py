# ruff: noqa: E501 - what `.dump` writes stays as it is
"""A database as the first Roost wrote it, in the words of sqlite3's `.dump`. It is never to be changed.

Two bots have finished a block of two matches (the second ended by forfeit) and have begun another.
"""

DUMP = """
BEGIN TRANSACTION;
CREATE TABLE block (
    id VARCHAR NOT NULL,
    game VARCHAR NOT NULL,
    options VARCHAR NOT NULL,
    players INTEGER NOT NULL,
    seed VARCHAR NOT NULL,
    rotation VARCHAR NOT NULL,
    created_ms BIGINT NOT NULL,
    state VARCHAR NOT NULL,
    CONSTRAINT pk_block PRIMARY KEY (id),
    CONSTRAINT ck_block_state CHECK (state IN ('open', 'done', 'voided'))
) WITHOUT ROWID;
INSERT INTO "block" VALUES('b1','karteneck','{}',2,'5e5e5e5e5e5e5e5e5e5e5e5e5e5e5e5e5e5e5e5e5e5e5e5e5e5e5e5e5e5e5e5e','all',1700000002000,'done');
INSERT INTO "block" VALUES('b2','haecmaec','{"slap":true}',2,'5e5e5e5e5e5e5e5e5e5e5e5e5e5e5e5e5e5e5e5e5e5e5e5e5e5e5e5e5e5e5e5e','all',1700000005000,'open');
CREATE TABLE block_member (
    block_id VARCHAR NOT NULL,
    position INTEGER NOT NULL,
    version_id INTEGER NOT NULL,
    CONSTRAINT pk_block_member PRIMARY KEY (block_id, position),
    CONSTRAINT fk_block_member_block_id FOREIGN KEY(block_id) REFERENCES block (id),
    CONSTRAINT fk_block_member_version_id FOREIGN KEY(version_id) REFERENCES bot_version (id)
) WITHOUT ROWID;
INSERT INTO "block_member" VALUES('b1',0,1);
INSERT INTO "block_member" VALUES('b1',1,2);
INSERT INTO "block_member" VALUES('b2',0,2);
INSERT INTO "block_member" VALUES('b2',1,1);
CREATE TABLE bot_version (
    id INTEGER NOT NULL,
    name VARCHAR NOT NULL,
    version VARCHAR NOT NULL,
    first_seen_ms BIGINT NOT NULL,
    CONSTRAINT pk_bot_version PRIMARY KEY (id),
    CONSTRAINT uq_bot_version_name_version UNIQUE (name, version)
);
INSERT INTO "bot_version" VALUES(1,'bot0','v1',1700000000000);
INSERT INTO "bot_version" VALUES(2,'bot1','v1',1700000001000);
CREATE TABLE "match" (
    number INTEGER NOT NULL,
    id VARCHAR NOT NULL,
    block_id VARCHAR NOT NULL,
    rotation INTEGER NOT NULL,
    game VARCHAR NOT NULL,
    options VARCHAR NOT NULL,
    players INTEGER NOT NULL,
    seed VARCHAR NOT NULL,
    started_ms BIGINT NOT NULL,
    ended_ms BIGINT NOT NULL,
    termination VARCHAR NOT NULL,
    CONSTRAINT pk_match PRIMARY KEY (number),
    CONSTRAINT uq_match_id UNIQUE (id),
    CONSTRAINT fk_match_block_id FOREIGN KEY(block_id) REFERENCES block (id)
);
INSERT INTO "match" VALUES(1,'m1','b1',0,'karteneck','{}',2,'5e5e5e5e5e5e5e5e5e5e5e5e5e5e5e5e5e5e5e5e5e5e5e5e5e5e5e5e5e5e5e5e',1700000003000,1700000004000,'finished');
INSERT INTO "match" VALUES(2,'m2','b1',1,'karteneck','{}',2,'5e5e5e5e5e5e5e5e5e5e5e5e5e5e5e5e5e5e5e5e5e5e5e5e5e5e5e5e5e5e5e5e',1700000003000,1700000004001,'forfeit');
CREATE TABLE match_seat (
    match_number INTEGER NOT NULL,
    seat INTEGER NOT NULL,
    version_id INTEGER NOT NULL,
    place INTEGER,
    score INTEGER,
    forfeited BOOLEAN NOT NULL,
    faults INTEGER NOT NULL,
    decisions INTEGER NOT NULL,
    thinking_ms FLOAT NOT NULL,
    CONSTRAINT pk_match_seat PRIMARY KEY (match_number, seat),
    CONSTRAINT fk_match_seat_match_number FOREIGN KEY(match_number) REFERENCES "match" (number),
    CONSTRAINT fk_match_seat_version_id FOREIGN KEY(version_id) REFERENCES bot_version (id)
) WITHOUT ROWID;
INSERT INTO "match_seat" VALUES(1,0,1,1,9,0,0,1,2.5);
INSERT INTO "match_seat" VALUES(1,1,2,2,8,0,0,1,2.5);
INSERT INTO "match_seat" VALUES(2,0,2,2,8,1,3,1,2.5);
INSERT INTO "match_seat" VALUES(2,1,1,1,9,0,0,1,2.5);
CREATE TABLE replay (
    match_number INTEGER NOT NULL,
    document BLOB NOT NULL,
    CONSTRAINT pk_replay PRIMARY KEY (match_number),
    CONSTRAINT fk_replay_match_number FOREIGN KEY(match_number) REFERENCES "match" (number)
);
INSERT INTO "replay" VALUES(1,X'785EA551CB6A03310CFC179DDD361B0834FB2BA507C5951B133F165B9B1096FDF78E36975E7A28C1606469343392170AB565561AA9D5DAF5A5C994F8FE3690A36FCE82FC859B4A117F41AA4E1A6BE9342EAB23B4F93300D9C05DE40BF1419E3B60F235E7A8590A4C953925E36685E6C742A76A4E71EF00BC4AEB70838439BB156916AEEE17CC9CFD01FB04AFCAF4E035051A7798A95E31F342137754B4CDB2C138D1183875B1B151D8BF1E4CE7D136FCAB0DBA4DFA9CD00899C45ECCC2E0F666C857D4F03CBA773C555A8E856DE5982CC412FB195B76F66741E2B613C002836D8BD7F507E2DB94BB');
INSERT INTO "replay" VALUES(2,X'785EA591DD6AC3300C85DF45D7D996040A5B5E65F4427595CDC43FC1563A46C8BBF7282D6337BB18251064E9483A9FBDD2984B64A5814ACE559F8ACC81BF5F3A6AE883A3203F715149E226A4F2AC3EA74AC3BA358436F70941EC51A92267C40779ECC3249763F41A25C1545A42B0D9ACD8F9BED2299B53FC5B082F522ADC2061CEBE92140BB7E697CC30FE901D315765BECDB50D34B460CA1730AF34734545CB22BB8C030D23872A868D42FF7CB03DB7B6EE5F6DD85BA42E018D5813D88959E89BCE0CB98C1A8EAFCD1B8E2A25FAC476E520C3438DE21544F7C8842D642363DA9D03443BC70FD0E493BD4B6095FD6A8CF921C571DBAE762AB352');
CREATE TABLE roost_schema (
    version_num VARCHAR(32) NOT NULL,
    CONSTRAINT roost_schema_pkc PRIMARY KEY (version_num)
);
INSERT INTO "roost_schema" VALUES('0001');
CREATE INDEX ix_block_state ON block (state);
CREATE INDEX ix_match_block_id ON "match" (block_id);
CREATE INDEX ix_match_game_number ON "match" (game, number);
CREATE UNIQUE INDEX uq_match_counted_rotation ON "match" (block_id, rotation) WHERE termination <> 'voided';
CREATE INDEX ix_match_seat_version_id_match_number_place_faults ON match_seat (version_id, match_number, place, faults);
COMMIT;
"""
