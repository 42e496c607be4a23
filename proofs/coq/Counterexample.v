(** * Theorem 6 as printed: a counterexample

    Rows are true (the target) and false; two recodings send every row to one cell, under different names. The first
    step picks one of them with the probabilities of [table], which depend on how many others are sampled and on whether
    the target is. It is ln 4-safe on every dataset; with three rows, k = 2 and rate 1/3 the release tells too much. *)

From Coq Require Import Reals Lra Psatz Lia List Bool Arith.
From Crowdproof Require Import Definitions Binomial OneCell Tight Maximum.
Import ListNotations.
Open Scope R_scope.

Definition table (others : nat) (target : bool) : R :=
  match target, others with
  | false, 0%nat => 1/5 | false, 1%nat => 4/5 | false, _ => 19/20
  | true, 0%nat => 1/20 | true, 1%nat => 1/5 | true, _ => 4/5
  end.

Definition others (T : list bool) : nat := length (filter negb T).
Definition target (T : list bool) : bool := existsb (fun r => r) T.
Definition one_name (r : bool) : bool := true.
Definition other_name (r : bool) : bool := false.
Definition names : list (bool -> bool) := [one_name; other_name].
Definition pick (T : list bool) (g : bool -> bool) : R :=
  if g true then table (others T) (target T) else 1 - table (others T) (target T).

Lemma pick_is_a_choice : choice bool bool names pick.
Proof. split.
 - intros T g. unfold pick, table. destruct (g true), (target T), (others T) as [|[|m]]; lra.
 - intro T. unfold names, pick, one_name, other_name. simpl. lra. Qed.

Lemma pick_is_safe : safe bool bool 4 pick.
Proof. intros D D' [l [t [l' [-> ->]]]] g. unfold pick.
 assert (O : others (l ++ t :: l') = if t then others (l ++ l') else S (others (l ++ l'))).
 { unfold others. rewrite !filter_app, !app_length. simpl. destruct t; simpl; lia. }
 assert (T : target (l ++ t :: l') = t || target (l ++ l')).
 { unfold target. rewrite !existsb_app. simpl. destruct t, (existsb (fun r => r) l); reflexivity. }
 rewrite O, T. unfold table. destruct t, (target (l ++ l')), (others (l ++ l')) as [|[|m]], (g true); simpl; split; lra. Qed.

(** The event: by the first name three rows, by the other two or three. *)
Definition seen (g : bool -> bool) (r : bool -> nat) : bool := if g true then (r true =? 3)%nat else (2 <=? r false)%nat.

Lemma with_the_target : E bool (1/3) [true; false; false] (one_sample bool bool Bool.eqb names pick 2 seen) = 31/270 + 8 * E bool (1/3) [false; false] (one_sample bool bool Bool.eqb names pick 2 seen).
Proof. unfold one_sample, anonymize, release, count, lump, pick, names, one_name, other_name, seen, others, target, table, one. simpl. lra. Qed.

Lemma gamma_here : gamma (ln 8 - ln 4) (1/3) = 2/3.
Proof. unfold gamma. replace (ln 8 - ln 4) with (ln 2) by (replace 8 with (2 * 4) by ring; rewrite ln_mult by lra; ring). rewrite exp_ln by lra. field. Qed.

(** Tails at rate 1/3, row by row. *)
Notation tail := (at_least (1/3)).

Lemma tail_step n m u v : tail n m = u -> tail n (S m) = v -> tail (S n) (S m) = 1/3 * u + 2/3 * v.
Proof. intros <- <-. rewrite at_least_rec. lra. Qed.

Lemma tail_all n : tail n 0 = 1.
Proof. unfold at_least. simpl. ring. Qed.

Lemma tail_none n : tail n (S n) = 0.
Proof. unfold at_least. rewrite total by lia. ring. Qed.

Lemma tails : tail 2 2 = 1/9 /\ tail 4 3 = 1/9 /\ tail 7 5 = 99/2187.
Proof.
 assert (T11 : tail 1 1 = 1/3) by (rewrite (tail_step 0 0 1 0) by (apply tail_all || apply tail_none); lra).
 assert (T21 : tail 2 1 = 5/9) by (rewrite (tail_step 1 0 1 (1/3)) by (assumption || apply tail_all); lra).
 assert (T22 : tail 2 2 = 1/9) by (rewrite (tail_step 1 1 (1/3) 0) by (assumption || apply tail_none); lra).
 assert (T32 : tail 3 2 = 7/27) by (rewrite (tail_step 2 1 (5/9) (1/9)) by assumption; lra).
 assert (T33 : tail 3 3 = 1/27) by (rewrite (tail_step 2 2 (1/9) 0) by (assumption || apply tail_none); lra).
 assert (T43 : tail 4 3 = 1/9) by (rewrite (tail_step 3 2 (7/27) (1/27)) by assumption; lra).
 assert (T44 : tail 4 4 = 1/81) by (rewrite (tail_step 3 3 (1/27) 0) by (assumption || apply tail_none); lra).
 assert (T54 : tail 5 4 = 11/243) by (rewrite (tail_step 4 3 (1/9) (1/81)) by assumption; lra).
 assert (T55 : tail 5 5 = 1/243) by (rewrite (tail_step 4 4 (1/81) 0) by (assumption || apply tail_none); lra).
 assert (T53 : tail 5 3 = 51/243).
 { assert (T31 : tail 3 1 = 19/27) by (rewrite (tail_step 2 0 1 (5/9)) by (assumption || apply tail_all); lra).
   assert (T42 : tail 4 2 = 33/81) by (rewrite (tail_step 3 1 (19/27) (7/27)) by assumption; lra).
   rewrite (tail_step 4 2 (33/81) (1/9)) by assumption. lra. }
 assert (T64 : tail 6 4 = 73/729) by (rewrite (tail_step 5 3 (51/243) (11/243)) by assumption; lra).
 assert (T65 : tail 6 5 = 13/729) by (rewrite (tail_step 5 4 (11/243) (1/243)) by assumption; lra).
 assert (T75 : tail 7 5 = 99/2187) by (rewrite (tail_step 6 4 (73/729) (13/729)) by assumption; lra).
 split; [exact T22 | split; [exact T43 | exact T75]]. Qed.

(** The printed delta is 1/9. *)
Lemma printed_delta n : (2 <= n)%nat -> above (1/3) (2/3) n <= 1/9.
Proof. intro H. assert (G := gamma_here). set (eps := ln 8 - ln 4) in G. assert (E0 : exp eps = 2).
 { unfold eps. replace (ln 8 - ln 4) with (ln 2) by (replace 8 with (2 * 4) by ring; rewrite ln_mult by lra; ring). apply exp_ln. lra. }
 assert (He : 0 <= eps). { destruct (Rle_dec 0 eps) as [|Q]; [assumption |]. exfalso. assert (exp eps < exp 0) by (apply exp_increasing; lra). rewrite exp_0 in H0. lra. }
 destruct tails as [T22 [T43 T75]].
 rewrite <- G. apply (maximum (1/3) eps ltac:(lra) He 2 2 ltac:(lia)) with (M := 7%nat); try (rewrite G; simpl; lra); try exact H.
 - unfold rho. rewrite G, E0. set (z := exp (eps / (2/3))). assert (Z0 : 0 < z) by apply exp_pos.
   assert (P : z * z = 8). { unfold z. rewrite <- exp_plus. replace (eps / (2/3) + eps / (2/3)) with (eps + (eps + eps)) by field. rewrite !exp_plus, E0. ring. }
   assert (Z3 : z <= 3) by nra. replace (1 / 3 * z / (2 - 1 + 1 / 3)) with (z * / 4) by field. rewrite Rpow_mult_distr.
   replace (z ^ 7) with ((z * z) * (z * z) * (z * z) * z) by ring. rewrite P. replace ((/ 4) ^ 7) with (/ 16384) by (simpl; field). lra.
 - intros m Hm HM. assert (C : (m = 2 \/ m = 3 \/ m = 4 \/ m = 5 \/ m = 6)%nat) by lia. rewrite G.
   destruct C as [-> | [-> | [-> | [-> | ->]]]].
   + exists 2%nat, 0%nat. simpl Nat.add. rewrite T22. split; [lia |]. split; simpl; lra.
   + exists 3%nat, 1%nat. simpl Nat.add. rewrite T43. split; [lia |]. split; simpl; lra.
   + exists 3%nat, 1%nat. simpl Nat.add. rewrite T43. split; [lia |]. split; simpl; lra.
   + exists 5%nat, 2%nat. simpl Nat.add. rewrite T75. split; [lia |]. split; simpl; lra.
   + exists 5%nat, 2%nat. simpl Nat.add. rewrite T75. split; [lia |]. split; simpl; lra. Qed.

Lemma not_private : ~ private bool (1/3) 8 (1/9) (one_sample bool bool Bool.eqb names pick 2 seen).
Proof. intro H. destruct (H [true; false; false] [false; false]) as [Q _].
 - exists [], true, [false; false]. split; reflexivity.
 - rewrite with_the_target in Q. lra. Qed.
